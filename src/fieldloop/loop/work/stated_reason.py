"""The reason that every override needs: others read it years later, so one letter is none."""

from fieldloop.errors import BadInput
from fieldloop.loop.workspace import Workspace
from fieldloop.say.numbers import format_count


def require_stated_reason(workspace: Workspace, reason: str, option: str = "--override") -> str:
    """Return the reason of an override without blanks around it, '' where none was given; refuse one that says nothing.

    A reason has enough words or enough letters, whichever it reaches: operations.toml states both.
    """
    written = reason.strip()
    settings = workspace.operations["override"]
    words, letters = int(settings.number("min_words")), int(settings.number("min_letters"))
    if not written or len(written.split()) >= words or sum(one.isalpha() for one in written) >= letters:
        return written
    raise BadInput(
        f"{written!r} is too short as a reason, which stays on record with your name. Write at least "
        f"{format_count(words)} words or {format_count(letters)} letters: {option} 'the pilot starts on Monday'"
    )
