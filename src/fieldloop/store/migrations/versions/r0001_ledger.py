"""Create the tables of the ledger, of the database's versions, and of jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables that are never dropped."""
    op.create_table(
        "ledger",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=False),
        sa.Column("at_ns", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("caused_by", sa.BigInteger),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("ix_ledger_kind_seq", "ledger", ["kind", "seq"])
    op.create_table(
        "about",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "jobs",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("due_ns", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("worker", sa.Text),
        sa.Column("lease_until_ns", sa.BigInteger, nullable=False),
        sa.Column("finished_ns", sa.BigInteger),
        sa.Column("error", sa.Text, nullable=False),
    )
    op.create_index("ix_jobs_finished_ns_due_ns", "jobs", ["finished_ns", "due_ns"])
