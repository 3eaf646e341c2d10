"""The reason that every override needs: others read it years later, so one letter is none."""

import unicodedata

from fieldloop.errors import BadInput
from fieldloop.loop.workspace import Workspace
from fieldloop.say.numbers import format_count

WIDE = "W"
"""How Unicode marks ideographs and syllables that fill a square."""


def require_stated_reason(workspace: Workspace, reason: str, option: str = "--override") -> str:
    """Return the reason of an override without blanks around it, '' where none was given; refuse one that says nothing.

    A reason has enough words or enough letters, whichever it reaches, and its words hold some letters in all:
    operations.toml states these numbers.
    """
    written = reason.strip()
    settings = workspace.operations["override"]
    words, letters = int(settings.number("min_words")), int(settings.number("min_letters"))
    stated = sum(one.isalpha() for one in written)
    enough = count_words(written) >= words and stated >= settings.number("least_letters")
    if not written or enough or stated >= letters:
        return written
    raise BadInput(
        f"{written!r} is too short as a reason, which stays on record with your name. Write at least "
        f"{format_count(words)} words or {format_count(letters)} letters: {option} 'the pilot starts on Monday'"
    )


def count_words(text: str) -> int:
    """Count the words that hold a letter; an ideograph is a word, because Chinese and Japanese put no blanks between.

    >>> [count_words(text) for text in ("- -", "1 2", "a pilot", "试点周一开始")]
    [0, 0, 2, 6]
    """
    wide = sum(one.isalpha() and unicodedata.east_asian_width(one) == WIDE for one in text)
    return max(wide, sum(any(one.isalpha() for one in word) for word in text.split()))
