"""Logs that were copied as if they were text: line ends changed in them, which destroys them."""

MANY_LINES = 8
SEEMS_MANGLED = "The file seems to have been copied in text mode; copy it again in binary mode."


def in_text_mode(start: bytes) -> bool:
    r"""Does every line feed follow a carriage return? In bytes of a log, one in 256 does by chance.

    >>> in_text_mode(b"\x05\r\n" * 9), in_text_mode(b"\x05\n\r\n" * 9)
    (True, False)
    """
    return start.count(b"\r\n") == start.count(b"\n") >= MANY_LINES
