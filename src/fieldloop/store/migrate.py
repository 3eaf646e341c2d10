"""Run the ledger's migrations on an open connection, inside its transaction."""

from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from fieldloop.store.prepare import VERSION_TABLE


def scripts() -> ScriptDirectory:
    """Return the migrations, oldest first, from the folder beside this file; there is no ini file to find."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config)


def migrate(connection: Connection, to: str = "head") -> None:
    """Bring the ledger forward, step by step; whoever lent the connection commits."""
    script = scripts()

    def steps(present: object, _migration: object) -> object:
        return script._upgrade_revs(to, present)  # type: ignore[arg-type]  # noqa: SLF001 - what alembic's own command calls

    with EnvironmentContext(Config(), script, fn=steps, destination_rev=to) as environment:
        environment.configure(connection=connection, version_table=VERSION_TABLE)
        with environment.begin_transaction():
            environment.run_migrations()
