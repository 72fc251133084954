"""The names by which Mindroom's plugins register their tools. What they say beyond that is taken and not used."""

from guildhall import register_tool_with_metadata


class _Words:
    """An enumeration whose every word is itself."""

    def __getattr__(self, word):
        return word.lower()


ToolCategory = _Words()
ToolStatus = _Words()
SetupType = _Words()
ToolExecutionTarget = _Words()


class ConfigField:
    """A setting, as Mindroom's page shows it."""

    def __init__(self, **told):
        self.__dict__.update(told)


__all__ = ["ConfigField", "SetupType", "ToolCategory", "ToolExecutionTarget", "ToolStatus", "register_tool_with_metadata"]
