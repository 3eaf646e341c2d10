"""What was appended is still there: after a cut at any byte, a flipped bit, a full disk, a kill."""

import json
import signal
import subprocess
import sys

import pytest

from fieldloop_robot.spool import Spool, SpoolError


def records(spool):
    return [entry.record for entry in spool.list_pending()]


def filled(folder, count=5):
    with Spool(folder) as spool:
        return [spool.append({"attempt": n, "note": "ä\n\r\u2028"}) for n in range(count)]


def test_records_come_back_in_order_with_ids_of_their_own(tmp_path):
    ids = filled(tmp_path)
    with Spool(tmp_path) as spool:
        entries = spool.list_pending()
        assert [e.record["attempt"] for e in entries] == [0, 1, 2, 3, 4]
        assert entries[0].record["note"] == "ä\n\r\u2028"
        assert [e.id for e in entries] == ids
        assert [e.seq for e in entries] == [1, 2, 3, 4, 5]
        assert len(set(ids)) == 5
        assert spool.list_pending(limit=2) == entries[:2]


def test_two_spools_never_share_an_id(tmp_path):
    assert not set(filled(tmp_path / "a")) & set(filled(tmp_path / "b"))


def test_acknowledged_is_delivered_no_more_and_survives_reopening(tmp_path):
    filled(tmp_path)
    with Spool(tmp_path) as spool:
        spool.acknowledge(3)
        assert [e.seq for e in spool.list_pending()] == [4, 5]
        spool.acknowledge(2)  # an older word changes nothing
        with pytest.raises(SpoolError, match="never appended"):
            spool.acknowledge(6)
    with Spool(tmp_path) as spool:
        assert [e.seq for e in spool.list_pending()] == [4, 5]
        spool.append({})
        assert [e.seq for e in spool.list_pending()] == [4, 5, 6]


def test_a_cut_at_any_byte_loses_nothing_that_was_whole(tmp_path):
    filled(tmp_path / "whole", 3)
    data = (tmp_path / "whole" / "spool.log").read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == ord("\n")]
    for cut in range(ends[0], len(data)):
        folder = tmp_path / f"cut-{cut}"
        folder.mkdir()
        (folder / "spool.log").write_bytes(data[:cut])
        with Spool(folder) as spool:
            whole = sum(end <= cut for end in ends) - 1
            assert len(spool.list_pending()) == whole
            assert bool(spool.notices) == (cut not in ends)
            spool.append({"after": True})
        with Spool(folder) as spool:
            assert len(spool.list_pending()) == whole + 1
            assert not spool.notices  # the torn tail was set aside once
        torn = b"".join(path.read_bytes() for path in folder.glob("torn-*"))
        assert (data[:cut]).endswith(torn)


def test_a_flipped_bit_costs_one_record_and_is_reported(tmp_path):
    filled(tmp_path)
    path = tmp_path / "spool.log"
    data = bytearray(path.read_bytes())
    lines = data.split(b"\n")
    place = len(lines[0]) + 1 + len(lines[1]) + 1 + 30
    data[place] ^= 0x01
    path.write_bytes(data)
    with Spool(tmp_path) as spool:
        assert [e.seq for e in spool.list_pending()] == [1, 3, 4, 5]
        assert "damaged" in spool.notices[0]
        assert spool.append({}).endswith("-6")


def test_zeros_at_the_end_after_a_power_cut_are_dropped(tmp_path):
    filled(tmp_path)
    with (tmp_path / "spool.log").open("ab") as file:
        file.write(bytes(512))
    with Spool(tmp_path) as spool:
        assert len(spool.list_pending()) == 5
        assert "cut off" in spool.notices[0]


def test_a_damaged_mark_delivers_everything_again(tmp_path):
    filled(tmp_path)
    with Spool(tmp_path) as spool:
        spool.acknowledge(4)
    (tmp_path / "acknowledged").write_bytes(b"\x00\xff")
    with Spool(tmp_path) as spool:
        assert len(spool.list_pending()) == 5
        assert "delivered again" in spool.notices[0]


def test_what_is_no_spool_is_refused_and_left_alone(tmp_path):
    (tmp_path / "spool.log").write_bytes(b"hello\n")
    with pytest.raises(SpoolError, match="does not begin as a spool"):
        Spool(tmp_path)
    assert (tmp_path / "spool.log").read_bytes() == b"hello\n"
    with pytest.raises(SpoolError, match="does not begin"):  # and the folder is not left locked
        Spool(tmp_path)


def test_one_writer_at_a_time(tmp_path):
    with Spool(tmp_path), pytest.raises(SpoolError, match="another process"):
        Spool(tmp_path)


@pytest.mark.parametrize("record", [{"x": float("nan")}, {"x": object()}])
def test_a_record_that_is_no_json_is_refused_and_nothing_is_written(tmp_path, record):
    with Spool(tmp_path) as spool:
        before = (tmp_path / "spool.log").read_bytes()
        with pytest.raises(SpoolError, match="plain JSON"):
            spool.append_all([{"good": 1}, record])
        assert (tmp_path / "spool.log").read_bytes() == before
        assert spool.append({"good": 1}).endswith("-1")


def test_delivered_records_make_room(tmp_path):
    with Spool(tmp_path, max_bytes=2000) as spool:
        for n in range(100):
            spool.append({"attempt": n})
            spool.acknowledge(n + 1)
        assert (tmp_path / "spool.log").stat().st_size < 3000
        assert spool.append({}).endswith("-101")
    with Spool(tmp_path) as spool:
        assert [e.seq for e in spool.list_pending()] == [101]


FULL = """
import resource, sys
from fieldloop_robot.spool import Spool, SpoolError
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
with Spool(sys.argv[1]) as spool:
    kept = 0
    try:
        while True:
            spool.append({"attempt": kept, "filler": "x" * 300})
            kept += 1
    except SpoolError as full:
        assert "Free" in str(full), full
    spool.append({"small": True})
    print(kept)
"""


def test_a_full_disk_loses_nothing_and_leaves_nothing_half_written(tmp_path):
    out = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)
    with Spool(tmp_path) as spool:
        found = records(spool)
        assert not spool.notices
    assert [r.get("attempt") for r in found[:-1]] == list(range(int(out.stdout)))
    assert found[-1] == {"small": True}


WRITER = """
import sys
from fieldloop_robot.spool import Spool
with Spool(sys.argv[1]) as spool:
    n = 0
    while True:
        print(spool.append({"attempt": n, "filler": "x" * 5000}), flush=True)
        n += 1
"""


@pytest.mark.parametrize("after", [1, 7, 20])
def test_a_kill_loses_nothing_that_was_promised(tmp_path, after):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    promised = [writer.stdout.readline().strip() for _ in range(after)]
    writer.send_signal(signal.SIGKILL)
    promised += [line.strip() for line in writer.stdout if line.endswith("\n")]
    writer.wait()
    writer.stdout.close()
    with Spool(tmp_path) as spool:
        kept = [entry.id for entry in spool.list_pending()]
    assert kept[: len(promised)] == promised


def test_the_file_can_be_read_by_eye(tmp_path):
    filled(tmp_path, 1)
    header, line = (tmp_path / "spool.log").read_text().splitlines()
    assert json.loads(header[18:])["schema"] == "spool/1"
    assert json.loads(line[18:])["record"]["attempt"] == 0
