"""Something must be refused, in words that help."""

from collections.abc import Callable


def refused(kind: type[Exception], words: str, act: Callable[[], object]) -> None:
    """Assert that this raises such an error, and that its message says these words."""
    said: str | None = None
    try:
        act()
    except kind as refusal:
        said = str(refusal)
    assert said is not None, f"should have been refused with {kind.__name__}"
    assert words in said, f"{said!r} should say {words!r}"
