"""Functions that are tools: what each takes and gives is in its type hints, what it is for in its docstring."""

from typing import Literal, TypedDict

from mindroom.tool_system.metadata import register_tool_with_metadata


class Counted(TypedDict):
    words: int
    letters: int


@register_tool_with_metadata(name="measure", read_only=True)
def measure(text: str) -> Counted:
    """Count the words and letters of a text.

    Args:
        text: The text that is measured.
    """
    return {"words": len(text.split()), "letters": sum(letter.isalpha() for letter in text)}


@register_tool_with_metadata(name="recase", read_only=True)
def recase(text: str, to: Literal["upper", "lower", "title"] = "title") -> str:
    """Write a text in another case.

    :param to: The case that is wanted.
    """
    return getattr(text, to)()
