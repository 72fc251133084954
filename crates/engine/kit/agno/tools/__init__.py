"""As much of Agno as a class of tools needs to be read: the class, and registering functions with it."""


class Toolkit:
    """A class of tools."""

    def __init__(self, name="toolkit", tools=None, **_):
        self.name = name
        self.functions = {}
        for function in tools or []:
            self.register(function)

    def register(self, function, name=None):
        self.functions[name or function.__name__] = function


def tool(*functions, **_):
    """A function that is a tool stays what it is."""
    return functions[0] if functions else lambda function: function
