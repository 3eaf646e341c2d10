"""MCAP logs that were copied in text mode, or of which next to nothing is left."""

import struct

import pytest
from tests.ingest.mcap_makers import read, small_log, write

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log


@pytest.mark.parametrize(
    ("before", "after"), [(b"\n", b"\r\n"), (b"\r\n", b"\n"), (b"\x89", "\ufffd".encode()), (b"\x89", "\x89".encode())]
)
def test_a_log_copied_in_text_mode_is_refused_with_that_sentence(tmp_path, before, after):
    log = small_log(tmp_path / "a.mcap")
    log.write_bytes(log.read_bytes().replace(before, after))
    with pytest.raises(UnreadableLog, match=r"a\.mcap is an MCAP log that was copied in text mode"):
        open_log(log)


def test_a_log_copied_in_text_mode_is_a_defect_of_its_folder(tmp_path):
    good = small_log(tmp_path / "good.mcap")
    (tmp_path / "bad.bin").write_bytes(good.read_bytes().replace(b"\n", b"\r\n"))
    (defect,) = open_log(tmp_path).defects
    assert (defect.subject, "text mode" in defect.message["reason"]) == ("bad.bin", True)


def test_line_ends_changed_only_inside_are_recognised(tmp_path):
    rows = [(i, i, b'{"a":\n%d}' % i) for i in range(1, 40)]
    log = write(tmp_path / "a.mcap", {"/t": ("json", None, rows)}, use_chunking=False)
    data = log.read_bytes()
    log.write_bytes(data[:8] + data[8:].replace(b"\n", b"\r\n"))
    assert "ingest.copied_in_text_mode" in [d.message.code for d in read(log).defects]


@pytest.mark.parametrize("content", [b"", b"\x89MCAP0\r\n", 2 * b"\x89MCAP0\r\n", b"\x89MCAP0\r\n\x00" * 9])
def test_next_to_nothing_is_refused_or_reported(tmp_path, content):
    log = tmp_path / "a.mcap"
    log.write_bytes(content)
    if not content:
        with pytest.raises(UnreadableLog, match="empty"):
            open_log(log)
        return
    got = read(log)
    assert got.streams == {}
    assert got.defects


def test_endless_damage_is_counted_when_it_is_no_longer_listed(tmp_path):
    path = write(tmp_path / "a.mcap", {"/t": ("json", None, [(1, 1, b"{}")])}, use_chunking=False)
    data = path.read_bytes()
    strangers = b"".join(
        struct.pack("<BQHIQQ", 0x05, 22, channel, 0, 1, 1) for channel in range(1000, 1300)
    )  # messages of channels that nobody described
    at = data.index(struct.pack("<BQ", 0x0F, 4))  # before the end of the data
    path.write_bytes(data[:at] + strangers + data[at:])
    messages = [defect.message for defect in read(path).defects]
    assert 100 < len(messages) < 110
    (more,) = (message for message in messages if message.code == "ingest.more_defects")
    assert more["more"] >= 200
