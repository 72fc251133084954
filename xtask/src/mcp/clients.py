"""Clients that others have written, against the real command: the `mcp` package and the inspector, over stdio and HTTP, in both eras.

Called by `cargo xtask mcp-conformance` with the command, Node and the inspector. A person answers through the client, declines
there, and answers late from another terminal.
"""

import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

GUILD, NODE, INSPECTOR = sys.argv[1:4]

SKILL = """---
name: greet
description: Greets somebody by name
script: greet.sh
params:
  who: {type: string, required: true}
---
Greet them.
"""


class World:
    """A home, a project with one skill, and a server over HTTP."""

    def __init__(self, root):
        self.project = root / "project"
        skill = self.project / ".guild/skills/greet"
        for directory in (root / "home", root / "etc", self.project / ".git", skill / "references"):
            directory.mkdir(parents=True)
        (skill / "SKILL.md").write_text(SKILL)
        (skill / "greet.sh").write_text('echo "hello $2"\n')
        (skill / "references/manners.md").write_text("Be kind.\n")
        self.env = {"HOME": str(root / "home"), "GUILD_ETC": str(root / "etc"), "PATH": os.environ["PATH"]}
        self.token = self.guild("token", "create", "--agent", "default").strip()
        self.server = subprocess.Popen(
            [GUILD, "serve", "--listen", "127.0.0.1:0"], cwd=self.project, env=self.env, stdout=subprocess.PIPE, text=True
        )
        self.url = self.server.stdout.readline().strip() + "/mcp"

    def guild(self, *arguments):
        command = [GUILD, *arguments]
        return subprocess.run(command, cwd=self.project, env=self.env, check=True, capture_output=True, text=True).stdout

    def transport(self, way):
        if way == "stdio":
            return StdioServerParameters(command=GUILD, args=["mcp"], env=self.env, cwd=self.project)
        headers = {"authorization": f"Bearer {self.token}"}
        return streamable_http_client(self.url, http_client=httpx2.AsyncClient(headers=headers, timeout=60))


def person(action):
    """Somebody who always answers the same; nobody to ask where there is no action."""

    async def answer(_context, params):
        assert "greet" in params.message, params.message
        content = {"decision": "run it once"} if action == "accept" else None
        return ElicitResult(action=action, content=content)

    return answer if action else None


async def run(world, way, mode, action):
    """The text and the code of a run, as a person answers."""
    async with Client(world.transport(way), mode=mode, elicitation_callback=person(action)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["skill_search", "skill_load", "skill_run"], names
        result = await client.call_tool("skill_run", {"name": "greet", "input": {"who": "you"}})
        return result.content[0].text, result.structured_content["code"]


async def approvals(world, way, mode):
    text, code = await run(world, way, mode, "accept")
    assert (text, code) == ("hello you\n", "ok"), (text, code)
    text, code = await run(world, way, mode, "decline")
    assert code == "not_confirmed", (text, code)
    # Later, at another terminal; then the same call runs, and nobody is asked in the client.
    request = re.search(r"apr_\w+", text).group()
    world.guild("approve", request, "--once")
    text, code = await run(world, way, mode, None)
    assert (text, code) == ("hello you\n", "ok"), (text, code)
    text, code = await run(world, way, mode, None)
    assert code == "approval_required" and "guild approve apr_" in text, (text, code)
    print(f"  python mcp, {way}, {mode}: approved, declined, approved late, left to wait")


def inspect(world, way, era):
    """The inspector verifies every skill's files by their digests, and the tools' schemas."""
    target = ["--cwd", str(world.project), *(f"-e{name}={value}" for name, value in world.env.items()), GUILD, "mcp"]
    if way == "http":
        target = ["--transport", "http", "--header", f"Authorization: Bearer {world.token}", "--", world.url]
    for method in (["skills/list", "--verify", "--require-digests"], ["tools/list", "--strict"]):
        command = [NODE, INSPECTOR, "--cli", "--protocol-era", era, "--method", *method, *target]
        done = subprocess.run(command, cwd=world.project, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, (command, done.returncode, done.stdout, done.stderr)
    print(f"  inspector, {way}, {era}: skills verified, tools portable")


def main():
    with tempfile.TemporaryDirectory() as root:
        world = World(pathlib.Path(root))
        try:
            for way in ("stdio", "http"):
                for mode in ("legacy", "auto"):
                    asyncio.run(approvals(world, way, mode))
                for era in ("legacy", "modern"):
                    inspect(world, way, era)
            verified = json.loads(world.guild("receipts", "verify", "--json"))
            assert verified["data"]["verified"], verified
        finally:
            world.server.terminate()
            assert world.server.wait(timeout=30) == 0, "the server ends as it should"


main()
