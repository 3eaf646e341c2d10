"""Facts become plain English here: one sentence per code, one way to write numbers, one set of marks, one HTML kit.

`write_sentence(note)` is what terminal, reports, pages and JSON show. The sentences are the TOML files in `en/`, one
file a room; the first word of a code names its file. Rooms never import this package.
"""

from fieldloop.say.sentences import get_template, list_codes, write_details, write_sentence

__all__ = ["get_template", "list_codes", "write_details", "write_sentence"]
