"""Generates the skills that are measured: the same bytes for the same seed, whatever the number of skills.

It deliberately makes no broken skills: the benchmark compares speed, and every tool has to see every skill.
"""

import hashlib
import json
import random
import shutil
from pathlib import Path

import prose

SEED = 7
BODY_BYTES = 2800
DESCRIPTION_LEAST = 120

# `wild` is what people write, vendors' one-line JSON included. `spec` keeps to the open specification
# (metadata is a block map of strings), because strict tools refuse a whole skill over anything else.
WILD = "wild"
SPEC = "spec"


def generate(data: Path, count: int, dialect: str) -> Path:
    """A repository below `data` that holds `count` skills. One of an earlier run is used again if it is the same."""
    project = data / f"{dialect}-{count}-{edition()}"
    if project.exists():
        return project
    partial = project.with_name("partial")
    shutil.rmtree(partial, ignore_errors=True)
    root = skill_root(partial)
    root.mkdir(parents=True)
    (partial / ".git").mkdir()
    for index in range(count):
        directory = root / skill_name(index)
        directory.mkdir()
        (directory / "SKILL.md").write_text(skill_text(index, dialect), encoding="utf-8")
    return partial.rename(project)


def edition() -> str:
    """Names what is generated: it changes when this file or the words do."""
    sources = (Path(__file__), Path(prose.__file__))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:8]


def skill_root(project: Path) -> Path:
    """The directory whose children are the skills."""
    return project / ".claude" / "skills"


def skill_name(index: int) -> str:
    """A unique name within the specification's rules."""
    verb = prose.VERBS[index % len(prose.VERBS)]
    noun = prose.OBJECTS[index // len(prose.VERBS) % len(prose.OBJECTS)]
    return f"{verb}-{noun}-{index:06d}"


def skill_text(index: int, dialect: str) -> str:
    """The whole SKILL.md of one skill."""
    draw = Draw(f"{SEED}:{index}")
    return f"---\n{frontmatter(index, dialect, draw)}---\n\n{body(index, draw)}"


class Draw:
    """Random choices built on `random()` alone, the one method whose sequence Python promises to keep."""

    def __init__(self, seed: str):
        self.random = random.Random(seed).random

    def pick(self, options):
        """One of the options."""
        return options[int(self.random() * len(options))]

    def chance(self, share: float) -> bool:
        """True in that share of the cases."""
        return self.random() < share


def frontmatter(index: int, dialect: str, draw: Draw) -> str:
    lines = [f"name: {skill_name(index)}", description_line(index, draw)]
    if draw.chance(0.4):
        lines.append(f"license: {draw.pick(('MIT', 'Apache-2.0', 'Proprietary. LICENSE.txt has complete terms'))}")
    if draw.chance(0.3):
        lines.append(f"allowed-tools: {draw.pick(('Read Grep Glob', 'Bash(git:*) Read', 'Read, Write, Edit'))}")
    if draw.chance(0.2):
        lines.append(f'version: "{1 + index % 3}.{index % 10}.0"')
    if draw.chance(0.4):
        lines.extend(metadata_lines(index, dialect, draw))
    return "\n".join(lines) + "\n"


def description_line(index: int, draw: Draw) -> str:
    """Between 120 and 300 characters, ASCII: one peer cuts descriptions at a byte and stops at anything else."""
    verb, noun = skill_name(index).split("-")[:2]
    text = f"{verb.capitalize()} {noun} {draw.pick(prose.PURPOSES)}. {draw.pick(prose.TRIGGERS)}."
    while len(text) < DESCRIPTION_LEAST or (len(text) < 230 and draw.chance(0.5)):
        text += " " + draw.pick(prose.TAILS)
    if draw.chance(0.1):
        return f"description: >-\n  {text}"
    if draw.chance(0.2):
        return f'description: "{text}"'
    return f"description: {text}"


def metadata_lines(index: int, dialect: str, draw: Draw) -> list[str]:
    author = f"team-{index % 17}"
    if draw.chance(0.5):
        return ["metadata:", f"  author: {author}", f'  version: "1.{index % 10}"', "  category: productivity"]
    if dialect == SPEC:
        return ["metadata:", f"  author: {author}"]
    requires = {"bins": [draw.pick(("git", "python3", "jq"))], "env": []}
    return ["metadata: " + json.dumps({"openclaw": {"emoji": "tool", "requires": requires, "homepage": author}})]


def body(index: int, draw: Draw) -> str:
    parts = [f"# {skill_name(index).replace('-', ' ').title()}\n"]
    size = 0
    while size < BODY_BYTES:
        part = section(draw)
        size += len(part.encode())
        parts.append(part)
    return "\n".join(parts)


def section(draw: Draw) -> str:
    heading = f"## {draw.pick(prose.HEADINGS)}\n\n"
    paragraph = " ".join(draw.pick(prose.SENTENCES) for _ in range(3)) + "\n"
    if draw.chance(0.4):
        return heading + paragraph + f"\n```bash\n{draw.pick(prose.COMMANDS)}\n```\n"
    if draw.chance(0.5):
        return heading + paragraph + "\n" + "".join(f"- {draw.pick(prose.SENTENCES)}\n" for _ in range(3))
    return heading + paragraph
