"""Installs `@anthropic-ai/sandbox-runtime` once, into a directory outside the repository."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from engines import Unavailable
from launcher import last_line

# The versions that are compared. Node is pinned with it, because it needs a newer one than many machines have.
PACKAGES = ("@anthropic-ai/sandbox-runtime@0.0.83", "node@22.23.3")
NEEDED = (("socat", "socat"), ("rg", "ripgrep"), ("bwrap", "bubblewrap"))


def install(cache: Path) -> Path:
    """Its program, installed when absent."""
    missing = [package for program, package in NEEDED if shutil.which(program) is None]
    if missing:
        raise Unavailable(f"not installed: {' '.join(missing)}, which it needs")
    home = cache / "+".join(PACKAGES).replace("/", "_")
    program = home / "node_modules/.bin/srt"
    if not (home / ".complete").exists():
        home.mkdir(parents=True, exist_ok=True)
        options = ["--no-audit", "--no-fund", "--loglevel=error"]
        try:
            done = subprocess.run(
                ["npm", "install", "--prefix", str(home), *options, *PACKAGES],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"npm: {error}") from None
        if done.returncode != 0 or not program.exists():
            raise Unavailable(f"npm: {last_line(done.stderr or done.stdout) or 'installs no srt'}")
        (home / ".complete").touch()
    return program


def command(program: Path, scratch: Path) -> dict:
    """One command with no network, and nothing to write to but its own temporary directory."""
    settings = scratch / "srt.json"
    network = {"allowedDomains": [], "deniedDomains": []}
    files = {"denyRead": [], "allowWrite": [], "denyWrite": []}
    settings.write_text(json.dumps({"network": network, "filesystem": files}))
    path = os.pathsep.join([str(program.parent), "/usr/local/bin", "/usr/bin", "/bin"])
    env = {"PATH": path, "HOME": str(scratch), "LANG": "C.UTF-8"}
    return {"launch": "program", "argv": [str(program), "--settings", str(settings), "/usr/bin/true"], "env": env}
