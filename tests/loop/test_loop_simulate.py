"""Logs to try fieldloop on come with the protocol they were collected by."""

import pytest

from fieldloop.check import UNITS
from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.loop.floor.picking import simulate_case, write_pick_logs
from fieldloop.loop.floor.simulate import simulate_attempts, write_demonstration_logs
from fieldloop.model.policy import Stage
from fieldloop.protocol import parse_protocol, require_agreement


def test_the_floors_protocol_lies_beside_its_logs_and_is_never_written_over(tmp_path):
    folder = tmp_path / "logs"
    made = write_demonstration_logs(folder, count=1)
    rules = parse_protocol((folder / "protocol.toml").read_text())
    require_agreement(UNITS, rules)
    assert made.protocol == str(folder / "protocol.toml")
    assert made.next == f"fieldloop check {folder} --protocol {folder / 'protocol.toml'}"
    (log,) = folder.glob("*.mcap")
    (recording,) = open_log(log).read_part(0, None)
    assert (recording.episode.task, recording.episode.protocol) == (rules.name, rules.label)
    (folder / "protocol.toml").write_text("# mine\n")
    write_demonstration_logs(folder, count=1, session="again")
    assert (folder / "protocol.toml").read_text() == "# mine\n"


@pytest.mark.parametrize("simulate", [write_demonstration_logs, write_pick_logs, simulate_case])
def test_a_file_in_place_of_the_folder_is_refused_and_stays(tmp_path, simulate):
    file = tmp_path / "file"
    file.write_text("kept")
    with pytest.raises(BadInput, match="file"):
        simulate(file)
    assert file.read_text() == "kept"


@pytest.mark.parametrize(
    ("simulate", "amount"),
    [
        (write_demonstration_logs, {"count": 0}),
        (write_demonstration_logs, {"count": 10**17}),
        (write_pick_logs, {"count": 10**17}),
        (simulate_case, {"days": 1e308}),
        (simulate_case, {"days": float("nan")}),
        (simulate_case, {"episodes": 10**17}),
        (simulate_case, {"demonstrations": -1}),
    ],
)
def test_an_amount_beyond_all_reason_is_refused_before_anything_is_made(tmp_path, simulate, amount):
    with pytest.raises(BadInput, match=next(iter(amount))):
        simulate(tmp_path / "new", **amount)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("episodes", "days"), [(10, 1e308), (10, 0.0), (0, 1.0), (10**17, 1.0)])
def test_attempts_beyond_all_reason_are_refused(full_site, episodes, days):
    with pytest.raises(BadInput, match="at most"):
        simulate_attempts(full_site, None, (), Stage.PRODUCTION, episodes, days, 0)
