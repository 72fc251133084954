"""Builds what is measured."""

import json
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def guild() -> Path | None:
    """Builds the release binary; cargo itself says where it put it."""
    build = ["cargo", "build", "--release", "--package", "guild", "--message-format", "json-render-diagnostics"]
    done = subprocess.run(build, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None
    messages = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    binaries = [Path(message["executable"]) for message in messages if message.get("executable")]
    return binaries[-1] if binaries else None
