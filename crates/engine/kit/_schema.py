"""JSON Schemas out of type hints and docstrings. No part of what a plugin imports."""

import dataclasses
import enum
import inspect
import re
import types
import typing

PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def of_type(hint):
    """The schema of a type; what is not known is anything."""
    if hint in PLAIN:
        return {"type": PLAIN[hint]}
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        told = [text for text in arguments[1:] if isinstance(text, str)]
        return {**of_type(arguments[0]), **({"description": told[0]} if told else {})}
    if origin in (typing.Required, typing.NotRequired) if hasattr(typing, "Required") else False:
        return of_type(arguments[0])
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin is typing.Union or origin is getattr(types, "UnionType", typing.Union):
        return {"anyOf": [of_type(one) for one in arguments]}
    if origin in (list, set, frozenset) or hint in (list, set, frozenset):
        return {"type": "array", **({"items": of_type(arguments[0])} if arguments else {})}
    if origin is tuple or hint is tuple:
        return {"type": "array"}
    if origin is dict or hint is dict:
        values = {"additionalProperties": of_type(arguments[1])} if len(arguments) == 2 else {}
        return {"type": "object", **values}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": [one.value for one in hint]}
    if dataclasses.is_dataclass(hint):
        return of_dataclass(hint)
    if typing.is_typeddict(hint):
        properties = {name: of_type(one) for name, one in typing.get_type_hints(hint, include_extras=True).items()}
        return {"type": "object", "properties": properties, "required": sorted(hint.__required_keys__)}
    return {}


def of_dataclass(hint):
    hints = typing.get_type_hints(hint, include_extras=True)
    missing = dataclasses.MISSING
    needed = [one.name for one in dataclasses.fields(hint) if one.default is missing and one.default_factory is missing]
    return {"type": "object", "properties": {name: of_type(one) for name, one in hints.items()}, "required": needed}


def is_object(schema):
    return schema.get("type") == "object"


def hints_of(function):
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError:
        # A name that is imported for type checkers alone.
        return {}


def parameters(function):
    """The parameters that a caller gives: all that have a name, but for what a method is bound to."""
    signature = inspect.signature(function)
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one for one in signature.parameters.values() if one.kind not in variadic]


def of_input(function):
    """What a function takes."""
    hints, told = hints_of(function), told_of_parameters(function)
    properties, required = {}, []
    for parameter in parameters(function):
        schema = of_type(hints.get(parameter.name, typing.Any))
        if parameter.name in told:
            schema = {**schema, "description": told[parameter.name]}
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
        elif isinstance(parameter.default, (str, int, float, bool, type(None))):
            schema = {**schema, "default": parameter.default}
        properties[parameter.name] = schema
    takes_more = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in inspect.signature(function).parameters.values())
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": takes_more}


def of_output(function):
    """What a function gives: an object as it is, everything else under `result`. Nothing where it does not say."""
    hint = hints_of(function).get("return")
    if hint is None:
        return None
    schema = of_type(hint)
    if is_object(schema):
        return schema
    return {"type": "object", "properties": {"result": schema}, "required": ["result"]} if schema else None


def description(function):
    """The first paragraph of its docstring, on one line."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


def told_of_parameters(function):
    """What a docstring says of each parameter, in Google's or in Sphinx's way."""
    text, told, within, last = inspect.getdoc(function) or "", {}, False, None
    for line in text.splitlines():
        sphinx = re.match(r"\s*:param\s+(?:[^:]*\s)?(\w+):\s*(.*)", line)
        if sphinx:
            told[sphinx[1]] = sphinx[2].strip()
            continue
        if re.fullmatch(r"\s*(Args|Arguments|Parameters):\s*", line):
            within, last = True, None
            continue
        google = re.match(r"\s+\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s*(.*)", line)
        if within and google:
            last = google[1]
            told[last] = google[2].strip()
        elif within and last and line.startswith("        ") and line.strip():
            told[last] += " " + line.strip()
        elif within and line.strip() and not line.startswith(" "):
            within = False
    return {name: words for name, words in told.items() if words}
