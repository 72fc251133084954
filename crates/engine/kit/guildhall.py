"""What a tool in Python needs, without installing anything: its request, its answer, and functions registered as tools.

A tool that is a program of its own:

    import guildhall
    guildhall.answer({"words": len(guildhall.payload()["text"].split())})

A module of tools, named by `toolsModule` in the manifest:

    from guildhall import register_tool_with_metadata

    @register_tool_with_metadata(read_only=True)
    def count(text: str) -> dict:
        \"\"\"Count the words of a text.\"\"\"
        return {"words": len(text.split())}
"""

import json
import os
import sys

REQUEST = "/input/request.json"
RESPONSE = "/output/response.json"

# Everything that was registered, by name, in order.
registered = {}


class Registered:
    """A function that is a tool, with what was said of it."""

    def __init__(self, name, function, told):
        self.name = name
        self.function = function
        self.description = told.get("description")
        self.read_only = bool(told.get("read_only", False))
        self.warm = bool(told.get("warm", False))
        self.input_schema = told.get("input_schema")
        self.output_schema = told.get("output_schema")


def request():
    """The whole request: version, tool, payload, agent, session, skill, hash."""
    with open(REQUEST, encoding="utf-8") as file:
        return json.load(file)


def payload():
    """What the tool was called with."""
    return request()["payload"]


def answer(value):
    """Answers with an object."""
    with open(RESPONSE, "w", encoding="utf-8") as file:
        json.dump(value, file)


def serve(function):
    """Calls a function with the payload and answers with what it gives, an object: once, or for every line where it stands by."""
    if os.environ.get("GUILD_WARM") != "1":
        answer(function(payload()))
        return
    for line in sys.stdin:
        try:
            told = {"answer": function(json.loads(line)["payload"])}
        except Exception as error:  # The caller is told.
            told = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told), flush=True)


def register_tool_with_metadata(name=None, **told):
    """Registers a function as a tool. Its schemas come from its type hints and its docstring, unless they are given.

    `description`, `read_only`, `warm`, `input_schema` and `output_schema` mean something here; whatever else is told of a tool is
    taken and not used.
    """

    def register(function):
        called = name if isinstance(name, str) else function.__name__
        if called in registered:
            raise ValueError(f"the tool {called!r} is registered multiple times")
        registered[called] = Registered(called, function, told)
        return function

    return register(name) if callable(name) else register


tool = register_tool_with_metadata
