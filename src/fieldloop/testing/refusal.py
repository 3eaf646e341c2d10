"""Assert that something is refused with a helpful message."""

from collections.abc import Callable


def assert_refused(kind: type[Exception], words: str, act: Callable[[], object]) -> None:
    """Assert that `act` raises this error, and that its message contains these words."""
    message: str | None = None
    try:
        act()
    except kind as refusal:
        message = str(refusal)
    assert message is not None, f"should have been refused with {kind.__name__}"
    assert words in message, f"{message!r} should contain {words!r}"
