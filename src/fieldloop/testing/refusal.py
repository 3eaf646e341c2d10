"""Assert that something is refused with a helpful message."""

from collections.abc import Callable


def assert_refused(kind: type[Exception], message_part: str, action: Callable[[], object]) -> None:
    """Assert that `action` raises this error, and that its message contains these words."""
    message: str | None = None
    try:
        action()
    except kind as refusal:
        message = str(refusal)
    assert message is not None, f"should have been refused with {kind.__name__}"
    assert message_part in message, f"{message!r} should contain {message_part!r}"
