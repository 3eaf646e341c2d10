"""The list of logs fits a terminal: hashes and mappings are in the JSON, alike findings stand once below the table."""

import io

from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.loop.data.ingest import LogShown

CUT = "A chunk is cut off at byte 1362000, and 305,053 bytes are missing. Repair the log."


def make_log(number, finding=""):
    return LogShown(f"gdansk-{number:04}.mcap", "mcap", 1, 2.6543, "a" * 64, "own.toml", int(bool(finding)), finding)


def test_rows_are_narrow_and_alike_findings_are_written_once():
    stream = io.StringIO()
    show_result(tuple(make_log(n, CUT if n < 3 else "") for n in range(5)), Screen(stream, width=80))
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines[:7])) <= 80
    assert "aaaa" not in stream.getvalue()
    assert " ".join(" ".join(lines).split()).endswith(f"gdansk-0000.mcap and 2 other logs: {CUT}")
