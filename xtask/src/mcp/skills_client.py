#!/usr/bin/env python3
"""The client of the conformance suite's scenarios for skills: the real command, which takes the skills of the suite's server.

    skills_client.py GUILD URL

The suite puts the URL behind, and names the scenario in the environment.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# What is only looked at is not read; everything else takes what the server offers.
LISTS = "sep-2640-client-no-prefetch"


def main(guild: str, url: str) -> int:
    with tempfile.TemporaryDirectory() as root:
        home, project = Path(root, "home"), Path(root, "project")
        config = home / ".config/guild/config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(f'[mcp.servers.suite]\nurl = "{url}"\n')
        (project / ".git").mkdir(parents=True)
        wanted = "--list" if os.environ.get("MCP_CONFORMANCE_SCENARIO") == LISTS else "--all"
        environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        command = [guild, "add", "mcp:suite", wanted]
        return subprocess.run(command, cwd=project, env=environment, timeout=60).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
