"""Upgrade a database to this version: migrate the ledger, rebuild the tables; refuse a newer database."""

from sqlalchemy import Connection, inspect, select

from fieldloop import __version__
from fieldloop.errors import StoreError, StoreTooNew
from fieldloop.model import event as model
from fieldloop.store.database import Database
from fieldloop.store.replay import replay_ledger
from fieldloop.store.tables import about, compute_schema_hash, kept_for_good, rebuildable

HEAD = "0001"
"""The newest migration of the ledger; a test compares it with the folder `migrations`."""

VERSION_TABLE = "fieldloop_version"


def prepare_database(database: Database) -> None:
    """Create, migrate or rebuild where needed; a database that is up to date is only read."""
    with database.open_for_reading() as connection:
        ready = _is_up_to_date(connection, database.name)
    if ready:
        return
    if database.is_sqlite and not database.in_memory:
        database.use_write_ahead_log()
    with database.open_for_writing(in_order=True) as connection:
        if _is_up_to_date(connection, database.name):
            return  # another process did it first
        from fieldloop.store.migrate import migrate

        migrate(connection)
        replay_ledger(connection)
        record_versions(connection)


def record_versions(connection: Connection) -> None:
    """Record the schema and event versions of this database."""
    connection.execute(about.delete())
    values = {"schema": compute_schema_hash(), "events": str(model.VERSION), "fieldloop": __version__}
    connection.execute(about.insert(), [{"name": name, "value": value} for name, value in values.items()])


def _is_up_to_date(connection: Connection, database_name: str) -> bool:
    """Is the database up to date? Raises, before any change, if this version must not open it."""
    tables = set(inspect(connection).get_table_names())
    if VERSION_TABLE not in tables:
        ours = tables & {*kept_for_good.tables, *rebuildable.tables}
        foreign = tables if connection.dialect.name == "sqlite" else ours
        if foreign:
            raise StoreError(
                f"{database_name} holds tables of another program ({', '.join(sorted(foreign)[:3])}). Choose "
                f"another database."
            )
        return False
    revision = connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar()  # noqa: S608 - our own constant
    if (revision or "") > HEAD:
        raise _make_too_new_error(database_name, f"its ledger has schema {revision}, this version reads up to {HEAD}")
    if (revision or "") < HEAD:
        return False
    noted: dict[str, str] = {row.name: row.value for row in connection.execute(select(about))}
    if int(noted.get("events", 0)) > model.VERSION:
        raise _make_too_new_error(
            database_name, f"it holds events of version {noted['events']}, this version reads up to {model.VERSION}"
        )
    if noted.get("schema") == compute_schema_hash() and noted.get("events") == str(model.VERSION):
        return True
    if _parse_release_numbers(noted.get("fieldloop", "0")) > _parse_release_numbers(__version__):
        raise _make_too_new_error(database_name, "its tables were created by fieldloop " + noted["fieldloop"])
    return False


def _make_too_new_error(database_name: str, reason: str) -> StoreTooNew:
    return StoreTooNew(
        f"{database_name} was written by a newer fieldloop: {reason}. Nothing was changed; update fieldloop."
    )


def _parse_release_numbers(version: str) -> tuple[int, ...]:
    """Return the release numbers of a version.

    >>> _parse_release_numbers("0.10.2") > _parse_release_numbers("0.9")
    True
    """
    return tuple(int("".join(filter(str.isdigit, part)) or 0) for part in version.split("."))
