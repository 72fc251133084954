"""The labelled skills: unpacked outside the repository, split by publisher into two halves.

The data is malicious. It is read by scanners and by nothing else; nobody executes, opens or obeys it.
"""

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Half A was looked at while the rules were made, half B was not. The salt is the first number that gives both halves a
# campaign of some size, which was decided by counting publishers' skills and before reading any.
SALT = "12"


@dataclass(frozen=True)
class Item:
    """One labelled skill."""

    set: str
    label: str
    name: str
    path: Path

    @property
    def half(self) -> str:
        digest = hashlib.sha256(f"{SALT}:{publisher(self.set, self.name)}".encode()).digest()
        return "AB"[digest[0] % 2]


def publisher(set_name: str, name: str) -> str:
    """Who published a skill, as its directory's name tells; vendors' own skills stand for themselves."""
    if set_name == "atrbench":
        return name[5:].split("--")[0] if name.startswith("real-") else name
    if set_name.startswith("clawhub"):
        return name.split("__")[0]
    if set_name == "malskills":
        return name.split("_")[0]
    return name


def unpack(archive: Path, target: Path) -> None:
    """Unpacks the archive, once."""
    done = target / ".complete"
    if done.exists():
        return
    target.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "xf", archive, "-C", target, "--no-same-owner"], check=True)
    done.touch()


def items(root: Path) -> list[Item]:
    """Every labelled skill."""
    found = []
    for path in sorted(root.glob("*/*/*")):
        if path.is_dir():
            found.append(Item(path.parts[-3], path.parts[-2], path.parts[-1], path))
    return found


def whole(items: list[Item], archive: Path) -> list[Item]:
    """The `clawhub` skills with their scripts and images, from a checkout of the archive that the corpus has the Markdown of."""
    found = []
    for item in (item for item in items if item.set == "clawhub"):
        owner, name = item.name.split("__", 1)
        path = archive / "skills" / owner / name
        if path.is_dir():
            found.append(Item("clawhub whole", item.label, item.name, path))
    return found


def vendors(root: Path) -> list[Item]:
    """Every skill of vendors' whole repositories, `root/repository/…/SKILL.md`, scripts included."""
    found = []
    for path in sorted(root.rglob("SKILL.md")):
        repository = path.relative_to(root).parts[0]
        name = "__".join(path.parent.relative_to(root / repository).parts)
        found.append(Item(f"vendor:{repository}", "benign", name, path.parent))
    return found
