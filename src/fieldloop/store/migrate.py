"""Run the ledger's migrations on an open connection, inside its transaction."""

from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from fieldloop.store.prepare import VERSION_TABLE


def load_migration_scripts() -> ScriptDirectory:
    """Return the migrations, oldest first, from the folder beside this file, without an alembic.ini."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config)


def migrate(connection: Connection, target_revision: str = "head") -> None:
    """Migrate the ledger step by step; the owner of the connection commits."""
    script = load_migration_scripts()

    def list_upgrade_steps(present: object, _migration: object) -> object:
        return script._upgrade_revs(target_revision, present)  # type: ignore[arg-type]  # noqa: SLF001 - alembic's own command calls it too

    with EnvironmentContext(Config(), script, fn=list_upgrade_steps, destination_rev=target_revision) as environment:
        environment.configure(connection=connection, version_table=VERSION_TABLE)
        with environment.begin_transaction():
            environment.run_migrations()
