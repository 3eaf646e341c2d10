"""Databases of other versions: older ones are brought forward, newer ones are refused and left alone."""

import sqlite3

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.pool import NullPool

from fieldloop.errors import BadInput, MissingExtra, StoreError, StoreTooNew
from fieldloop.model import event as model
from fieldloop.model.event import ProtocolLocked, WorkspaceCreated
from fieldloop.model.plan import Demand
from fieldloop.store import migrate, open_store, prepare, tables, upcast
from fieldloop.store.database import Database
from fieldloop.testing.store import make_event_of_each_kind, read_store_contents


@pytest.fixture(params=["sqlite", "postgres"])
def kept_url(request, tmp_path):
    """A store that outlives its connection, with one event of each kind."""
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
    else:
        url = f"sqlite:///{tmp_path / 'ledger.db'}"
    store = open_store(url)
    store.append(make_event_of_each_kind(), actor="a", at_ns=1)
    store.close()
    return url


def run(url, *statements):
    engine = create_engine(Database(url, 1.0).url, poolclass=NullPool)
    with engine.begin() as connection:
        return [
            connection.execute(text(s)).scalar() if s.startswith("SELECT") else connection.execute(text(s))
            for s in statements
        ]


def everything(url):
    store = open_store(url)
    found = read_store_contents(store)
    store.close()
    return found


def test_a_changed_layout_rebuilds_the_tables_by_itself(kept_url):
    before = everything(kept_url)
    run(kept_url, "DROP TABLE demands", "DELETE FROM outcomes", "UPDATE about SET value = 'old' WHERE name = 'schema'")
    assert everything(kept_url) == before


def test_an_up_to_date_database_is_only_read(kept_url):
    run(kept_url, "DELETE FROM demands")
    store = open_store(kept_url)
    assert store.count(Demand) == 0, "nothing was rebuilt"
    store.close()


def test_the_layout_has_a_name_that_changes_with_it(monkeypatch):
    before = tables.compute_schema_hash()
    monkeypatch.setattr(tables, "PROJECTION", tables.PROJECTION + 1)
    tables.compute_schema_hash.cache_clear()
    assert tables.compute_schema_hash() != before
    monkeypatch.undo()
    tables.compute_schema_hash.cache_clear()
    assert tables.compute_schema_hash() == before


NEWER = {
    "ledger": "UPDATE fieldloop_version SET version_num = '0999'",
    "events": "UPDATE about SET value = '99' WHERE name = 'events'",
}


@pytest.mark.parametrize("what", NEWER)
def test_a_newer_database_is_refused_and_not_touched(what, kept_url):
    run(kept_url, NEWER[what], "DELETE FROM demands")
    with pytest.raises(StoreTooNew, match=r"written by a newer fieldloop: .* Nothing was changed; update fieldloop"):
        open_store(kept_url)
    assert run(kept_url, "SELECT count(*) FROM demands", "SELECT count(*) FROM ledger") == [0, len(model.EVENTS)]


def test_tables_of_a_newer_fieldloop_are_not_rebuilt_backwards(kept_url):
    run(
        kept_url,
        "UPDATE about SET value = 'x' WHERE name = 'schema'",
        "UPDATE about SET value = '99.0' WHERE name = 'fieldloop'",
    )
    with pytest.raises(StoreTooNew, match=r"created by fieldloop 99\.0"):
        open_store(kept_url)
    assert run(kept_url, "SELECT value FROM about WHERE name = 'schema'") == ["x"]


def test_a_newer_file_keeps_every_byte(tmp_path):
    path = tmp_path / "ledger.db"
    with sqlite3.connect(path) as connection:  # no write-ahead log yet, as a newer version might have it
        connection.execute("CREATE TABLE fieldloop_version (version_num TEXT)")
        connection.execute("INSERT INTO fieldloop_version VALUES ('0999')")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match="schema 0999, this version reads up to 0001"):
        open_store(f"sqlite:///{path}")
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["ledger.db"]


def test_an_event_of_a_newer_version_or_unknown_kind_is_named(kept_url):
    run(kept_url, "UPDATE ledger SET version = 9 WHERE seq = 2", "UPDATE ledger SET kind = 'MoonLanded' WHERE seq = 3")
    store = open_store(kept_url)
    assert store.read_tail(limit=1)[0].seq == 1
    with pytest.raises(StoreTooNew, match="Event 2 is a TokenIssued of version 9"):
        store.read_tail(limit=2)
    with pytest.raises(StoreTooNew, match=r"Event 3 is a MoonLanded .* no such kind"):
        store.read_tail(after=2)
    store.close()


def test_an_old_event_is_read_in_the_words_of_today(kept_url, monkeypatch):
    old = '{"title":"pick","version":3,"fingerprint":"f"}'  # `name` was called `title`
    run(kept_url, f"UPDATE ledger SET body = '{old.replace(':', chr(92) + ':')}' WHERE kind = 'ProtocolLocked'")
    now = model.VERSION
    monkeypatch.setattr(model, "VERSION", now + 2)
    monkeypatch.setitem(upcast.UPCASTERS, ("ProtocolLocked", now), lambda body: {"called": body["title"], **body})
    monkeypatch.setitem(upcast.UPCASTERS, ("ProtocolLocked", now + 1), lambda body: {"name": body["called"], **body})
    store = open_store(kept_url)  # a new version of events: the tables are rebuilt
    assert [r.event for r in store.events(ProtocolLocked)] == [ProtocolLocked("pick", 3, "f")]
    assert store.find(ProtocolLocked, {"name": "pick"}) == [ProtocolLocked("pick", 3, "f")]
    store.append([WorkspaceCreated("n", "1")], actor="a", at_ns=1)
    assert run(kept_url, "SELECT max(version) FROM ledger") == [now + 2]
    store.close()


def test_a_process_that_fell_behind_stops_writing(kept_url):
    store = open_store(kept_url)
    run(kept_url, "UPDATE about SET value = 'newer' WHERE name = 'schema'")
    before = store.get_last_seq()
    with pytest.raises(StoreError, match="Restart this one"):
        store.append([WorkspaceCreated("n", "1")], actor="a", at_ns=1)
    assert store.get_last_seq() == before
    store.close()


def test_migrations_lead_to_the_tables_that_code_speaks_of(store_url):
    database = Database(store_url, 1.0)
    with database.open_for_writing() as connection:
        migrate.migrate(connection)
        found = inspect(connection)
        for name, table in tables.kept_for_good.tables.items():
            assert [c["name"] for c in found.get_columns(name)] == list(table.c.keys())
            assert [c["nullable"] for c in found.get_columns(name)] == [c.nullable for c in table.c]
            assert set(found.get_pk_constraint(name)["constrained_columns"]) == {c.name for c in table.primary_key}
            assert {i["name"] for i in found.get_indexes(name)} == {i.name for i in table.indexes}
    database.close()


def test_the_newest_migration_is_the_one_that_opening_expects():
    assert migrate.load_migration_scripts().get_heads() == [prepare.HEAD]


def test_a_stranger_s_database_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"tables of another program \(customers"):
        open_store(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_a_stranger_s_tables_of_the_same_name_are_left_alone(postgres_url):
    run(postgres_url, "CREATE TABLE plans (what TEXT)", "CREATE TABLE neighbours (who TEXT)")
    with pytest.raises(StoreError, match=r"tables of another program \(plans\)"):
        open_store(postgres_url)
    run(postgres_url, "DROP TABLE plans")
    open_store(postgres_url).close()


@pytest.mark.parametrize("url", ["mysql://host/db", "ledger.db", "", "postgresql"])
def test_a_url_that_names_no_store_says_what_would(url):
    with pytest.raises(BadInput, match=r"sqlite:///path, sqlite:// \(in memory\) or postgresql://"):
        open_store(url)


def test_what_cannot_be_opened_says_why(tmp_path):
    (tmp_path / "text.db").write_text("not a database, but long enough to look at " * 50)
    with pytest.raises(StoreError, match="not a database"):
        open_store(f"sqlite:///{tmp_path / 'text.db'}")
    with pytest.raises(StoreError, match="not a folder"):
        open_store(f"sqlite:///{tmp_path / 'none' / 'ledger.db'}")
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(f"sqlite:///{tmp_path}")
    with pytest.raises(StoreError, match="cannot be reached"):
        open_store(f"postgresql://nobody@/none?host={tmp_path}")


def test_postgresql_without_its_driver_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"fieldloop\[postgres\]"):
        open_store("postgresql://host/db")
