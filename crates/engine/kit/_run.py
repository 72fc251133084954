"""What is run for a module of tools: `register MODULE` says which tools there are, `call MODULE` calls one, `serve MODULE` calls
one after the other, a line of JSON each. No part of what a plugin imports."""

import asyncio
import contextlib
import dataclasses
import enum
import importlib.util
import inspect
import json
import os
import sys
import types

import _schema
import guildhall

ROOT = "/plugin"
PACKAGE = "guild_plugin"


def load(path):
    """Imports the module as a part of a package, so that it can import its neighbours."""
    sys.dont_write_bytecode = True
    sys.path.insert(1, ROOT)
    file = os.path.join(ROOT, path)
    package = types.ModuleType(PACKAGE)
    package.__path__ = [os.path.dirname(file)]
    sys.modules[PACKAGE] = package
    name = f"{PACKAGE}.{os.path.splitext(os.path.basename(file))[0]}"
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def tools_of(module):
    """Every tool by name: what was registered, or else `run`."""
    found = {}
    for entry in guildhall.registered.values():
        for name, function in functions_of(entry):
            if name in found:
                raise ValueError(f"the tool {name!r} is registered multiple times")
            found[name] = (function, entry)
    if not found and callable(getattr(module, "run", None)):
        found["run"] = (module.run, guildhall.Registered("run", module.run, {"input_schema": {"type": "object"}}))
    return found


def functions_of(entry):
    """A factory gives a class of tools; everything else is the tool itself."""
    hint = getattr(entry.function, "__annotations__", {}).get("return")
    is_factory = str(hint).replace("typing.", "").lower().startswith(("type[", "toolkit"))
    if not is_factory or inspect.signature(entry.function).parameters:
        return [(entry.name, entry.function)]
    made = entry.function()
    kit = made() if isinstance(made, type) else made
    functions = getattr(kit, "functions", {})
    functions = functions.values() if isinstance(functions, dict) else functions
    return [(function.__name__, function) for function in functions]


def described(name, function, entry):
    is_own = name == entry.name
    return {
        "name": name,
        "description": (is_own and entry.description) or _schema.description(function) or entry.description or name,
        "inputSchema": entry.input_schema or _schema.of_input(function),
        "outputSchema": entry.output_schema or _schema.of_output(function),
        "readOnly": entry.read_only,
        "warm": entry.warm,
    }


def plain(value):
    """What JSON can say of a value."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(dataclasses.asdict(value))
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one) for one in value]
    return value


def typed(hint, value):
    """A value as its hint wants it: classes of data and enumerations are made, all else is as it came."""
    if dataclasses.is_dataclass(hint) and isinstance(value, dict):
        hints = _schema.typing.get_type_hints(hint)
        return hint(**{name: typed(hints.get(name), one) for name, one in value.items()})
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(value)
    return value


HINTS = {}


def hints_of(name, function):
    """What the parameters of a tool are to be, found once."""
    if name not in HINTS:
        HINTS[name] = _schema.hints_of(function)
    return HINTS[name]


def call(tools, request):
    name = request["tool"]
    if name not in tools:
        raise LookupError(f"the module has no tool {name!r}")
    function, entry = tools[name]
    if name == "run" and "run" not in guildhall.registered:
        known = {"session_id": request["session"], "agent_id": request["agent"], "skill_name": request["skill"]}
        takes = inspect.signature(function).parameters
        takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in takes.values())
        given = {key: value for key, value in known.items() if takes_all or key in takes}
        value = function(request["payload"], **given)
    else:
        hints = hints_of(name, function)
        value = function(**{key: typed(hints.get(key), one) for key, one in request["payload"].items()})
    if inspect.isawaitable(value):
        value = asyncio.run(finished(value))
    value = plain(value)
    return value if isinstance(value, dict) else {"result": value, "text": value if isinstance(value, str) else json.dumps(value)}


async def finished(awaitable):
    return await awaitable


def told(tools, request):
    """A line of JSON for a line of JSON."""
    try:
        answer = {"answer": call(tools, json.loads(request))}
    except Exception as error:  # The caller is told.
        answer = {"error": f"{type(error).__name__}: {error}"}
    return json.dumps(answer).encode() + b"\n"


def rehearse():
    """Does everything that a call does, with a tool of our own."""
    told({"": (lambda **payload: payload, None)}, b'{"tool": "", "payload": {"one": [2, 3.5, "four", true, null]}}')


def main(verb, path):
    # What a module prints is for people: the answer is a file.
    with contextlib.redirect_stdout(sys.stderr):
        tools = tools_of(load(path))
        if verb == "register":
            guildhall.answer({"tools": [described(name, *found) for name, found in tools.items()]})
        elif verb == "call":
            guildhall.answer(call(tools, guildhall.request()))
    if verb == "serve":
        import _worker

        for name, (function, _) in tools.items():
            # A hint that cannot be read is told of by the call that needs it.
            with contextlib.suppress(Exception):
                hints_of(name, function)
        _worker.serve(lambda request: told(tools, request), rehearse)


if __name__ == "__main__":
    main(*sys.argv[1:])
