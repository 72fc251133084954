"""The servers that are measured: how each is started on a directory of skills, and how a skill is searched for and loaded there.

A server that has no search, or nothing to load by, says so with `None`; that is a result and not a failure.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

FASTMCP = """
import sys
from pathlib import Path
from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider

server = FastMCP("bench")
server.add_provider(SkillsDirectoryProvider(roots=Path(sys.argv[1])))
server.run(show_banner=False)
"""

# A tool's call, or a resource's address.
Ask = tuple[str, dict]


@dataclass(frozen=True)
class Server:
    """One server."""

    name: str
    command: Callable[[Path, Path], list[str]]
    env: Callable[[Path, Path], dict[str, str]]
    search: Callable[[str], Ask] | None
    load: Callable[[str], Ask] | None
    warm: bool = False
    notes: str = ""
    programs: dict[str, Path] = field(default_factory=dict)


def tool(called: str, /, **arguments) -> Ask:
    """A call of a tool."""
    return ("tools/call", {"name": called, "arguments": arguments})


def guild(program: Path) -> Server:
    """The index and the vet's verdicts are there from an earlier start, as they are on a machine in use."""
    return Server(
        "guild mcp", lambda project, _: [str(program), "mcp"], lambda _, home: {"HOME": str(home)},
        lambda words: tool("skill_search", query=words), lambda name: tool("skill_load", name=name), warm=True,
    )


def skillport(program: Path) -> Server:
    """It indexes when it starts, and keeps that."""
    def env(project: Path, home: Path) -> dict[str, str]:
        return {"HOME": str(home), "SKILLPORT_SKILLS_DIR": str(project / ".claude/skills"), "SKILLPORT_DB_PATH": str(home / "skills.lancedb")}

    return Server(
        "skillport", lambda *_: [str(program)], env,
        lambda words: tool("search_skills", query=words), lambda name: tool("load_skill", skill_id=name), warm=True,
    )


def skillz(program: Path) -> Server:
    """One tool for each skill; calling it loads the skill."""
    return Server(
        "skillz", lambda project, _: [str(program), str(project / ".claude/skills")], lambda _, home: {"HOME": str(home)},
        None, lambda name: tool(name, task="x"), notes="no search: a tool for each skill",
    )


def fastmcp(python: Path) -> Server:
    """Resources alone: a host that shows none to its model shows nothing."""
    return Server(
        "FastMCP skills provider", lambda project, _: [str(python), "-c", FASTMCP, str(project / ".claude/skills")],
        lambda _, home: {"HOME": str(home)},
        None, lambda name: ("resources/read", {"uri": f"skill://{name}/SKILL.md"}), notes="no search, no tools: resources",
    )
