"""Changes one byte of what is installed, asks `guild verify`, and puts it back: as often as is wished, never twice the same."""

import json
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from measure import Command

SEED = 7


@dataclass(frozen=True)
class Tampered:
    """How many changes there were, and which were overlooked or told of another file."""

    count: int
    overlooked: list[str]


def find_all(kept: Callable[[], tuple[Path, Command]], count: int) -> Tampered:
    """Makes `count` changes, each in a file, at a place and by a bit that chance decides."""
    root, command = kept()
    files = sorted(path for path in root.rglob("*") if path.is_file())
    draw = random.Random(SEED)
    overlooked = []
    for _ in range(count):
        path = draw.choice(files)
        before = path.read_bytes()
        at, bit = draw.randrange(len(before)), 1 << draw.randrange(8)
        path.write_bytes(before[:at] + bytes([before[at] ^ bit]) + before[at + 1:])
        if not names(verify(command), root, path):
            overlooked.append(f"{path.relative_to(root)} at {at}")
        path.write_bytes(before)
    return Tampered(count, overlooked)


def verify(command: Command) -> str:
    return subprocess.run(command.argv, cwd=command.cwd, env=command.env, capture_output=True, text=True).stdout


def names(answer: str, root: Path, path: Path) -> bool:
    """Whether the answer tells of this change and of no other."""
    skill, file = path.relative_to(root).parts[0], "/".join(path.relative_to(root).parts[1:])
    try:
        data = json.loads(answer)["data"]
    except (ValueError, KeyError):
        return False
    changed = data["changed"]
    text = json.dumps(changed)
    return data["ok"] is False and len(changed) == 1 and skill in text and file in text
