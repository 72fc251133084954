"""The commands under comparison, one row each: what runs, on which skills, and how to count what it saw."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import skills
from measure import Command
from peers import Peer

# The kernel refuses longer argument lists on a default stack; a quarter of it is kept for the environment.
ARGUMENT_BYTES = 1_500_000

COLD = "guild list (cold)"
WARM = "guild list (warm)"
SKILO = "skilo list"
SKILO_ONE_AGENT = "skilo list --agent claude"
SKILO_LINT = "skilo lint"


@dataclass(frozen=True)
class Place:
    """Where a command runs: the generated project and a home directory that holds nothing else."""

    project: Path
    home: Path


@dataclass(frozen=True)
class Tool:
    """One row of the comparison. `count` says how many skills the output shows.

    `cache` is "emptied" before every run, "kept" (one more run fills it beforehand), or of no interest.
    """

    label: str
    peer: str
    dialect: str
    arguments: Callable[[Place], list[str]]
    count: Callable[[str], int]
    cache: str = ""


def fixed(*arguments: str) -> Callable[[Place], list[str]]:
    return lambda place: list(arguments)


def skill_directories(place: Place) -> list[str]:
    return ["to-prompt", *sorted(str(path) for path in skills.skill_root(place.project).iterdir())]


def count_guild(text: str) -> int:
    """Generated skills with their whole description: built-in ones do not count, nor do directory names alone."""
    try:
        listed = json.loads(text)["data"]["skills"]
        return len({skill["name"] for skill in listed if is_generated(skill["name"]) and is_described(skill)})
    except (ValueError, KeyError, TypeError):
        return 0


def count_json(text: str) -> int:
    try:
        return len({skill["name"] for skill in json.loads(text) if is_generated(skill["name"])})
    except (ValueError, KeyError, TypeError):
        return 0


def count_matches(pattern: str) -> Callable[[str], int]:
    """Counts distinct first groups."""
    expression = re.compile(pattern, re.MULTILINE)
    return lambda text: len(set(expression.findall(text)))


def count_summary(pattern: str) -> Callable[[str], int]:
    """Reads the number that the tool itself states."""
    expression = re.compile(pattern)
    return lambda text: int(found[1]) if (found := expression.search(text)) else 0


def is_generated(name: str) -> bool:
    return re.fullmatch(r"[a-z]+-[a-z]+-\d{6}", name) is not None


def is_described(skill: dict) -> bool:
    return len(skill["description"]) >= skills.DESCRIPTION_LEAST


NAME = r"([a-z]+-[a-z]+-\d{6})"

TOOLS = (
    Tool(COLD, "guild", skills.WILD, fixed("list", "--json"), count_guild, cache="emptied"),
    Tool(WARM, "guild", skills.WILD, fixed("list", "--json"), count_guild, cache="kept"),
    Tool(SKILO, "skilo", skills.WILD, fixed("list"), count_matches(rf"^ +{NAME}  ")),
    Tool(SKILO_ONE_AGENT, "skilo", skills.WILD, fixed("list", "--agent", "claude"), count_matches(rf"^ +{NAME}  ")),
    Tool("skilo to-prompt", "skilo", skills.SPEC, fixed("to-prompt", ".claude/skills"), count_matches(rf"<name>{NAME}<")),
    Tool(SKILO_LINT, "skilo", skills.SPEC, fixed("lint", ".claude/skills"), count_summary(r"(\d+) skill\(s\) checked")),
    Tool("openskills list", "openskills", skills.WILD, fixed("list"), count_matches(rf"^ +{NAME} +\(project\)")),
    Tool("skills list --json", "skills", skills.WILD, fixed("list", "--json", "--agent", "claude-code"), count_json),
    Tool("agentskills to-prompt", "skills-ref", skills.SPEC, skill_directories, count_matches(rf"^{NAME}$")),
)


def command_for(tool: Tool, program: Path, place: Place) -> Command:
    """The command of one tool in one place, in an environment that holds only what it needs."""
    cache = place.home / ".cache"
    path = [str(program.parent), "/usr/local/bin", "/usr/bin", "/bin"]
    env = {
        "HOME": str(place.home), "XDG_CACHE_HOME": str(cache), "PATH": ":".join(path), "LANG": "C.UTF-8",
        "NO_COLOR": "1", "TERM": "dumb", "DO_NOT_TRACK": "1", "DISABLE_TELEMETRY": "1",
    }

    def prepare() -> None:
        if tool.cache == "emptied":
            shutil.rmtree(cache, ignore_errors=True)
            cache.mkdir()

    return Command([str(program), *tool.arguments(place)], place.project, env, prepare)


def reason_to_skip(tool: Tool, peers: dict[str, Peer], command: Command) -> str:
    """Why the tool cannot run at all; empty when it can."""
    if tool.peer in peers and peers[tool.peer].missing:
        return f"not installed: {peers[tool.peer].missing}"
    if sum(len(argument) + 9 for argument in command.argv) > ARGUMENT_BYTES:
        return "argument list too long for the kernel"
    return ""
