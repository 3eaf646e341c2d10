"""Logs to try fieldloop on come with the protocol they were collected by."""

from fieldloop.check import UNITS
from fieldloop.ingest import open_log
from fieldloop.loop.floor.simulate import collect
from fieldloop.protocol import parse_protocol, require_agreement


def test_the_floors_protocol_lies_beside_its_logs_and_is_never_written_over(tmp_path):
    folder = tmp_path / "logs"
    made = collect(folder, count=1)
    rules = parse_protocol((folder / "protocol.toml").read_text())
    require_agreement(UNITS, rules)
    assert made.protocol == str(folder / "protocol.toml")
    assert made.next == f"fieldloop check {folder} --protocol {folder / 'protocol.toml'}"
    (log,) = folder.glob("*.mcap")
    (recording,) = open_log(log).part(0, None)
    assert (recording.episode.task, recording.episode.protocol) == (rules.name, rules.label)
    (folder / "protocol.toml").write_text("# mine\n")
    collect(folder, count=1, session="again")
    assert (folder / "protocol.toml").read_text() == "# mine\n"
