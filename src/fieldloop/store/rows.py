"""Reading and writing nouns in their tables on one connection; used by projections and by `find`."""

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from sqlalchemy import ARRAY, Column, ColumnElement, Connection, Insert, any_, bindparam, delete, func, select, update

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.codec import from_plain
from fieldloop.model.episode import Episode
from fieldloop.store.database import get_driver_cursor
from fieldloop.store.episodes import decode_episode
from fieldloop.store.outcomes import Row, decode_outcome, encode_event_body
from fieldloop.store.statements import Statements, build_upsert
from fieldloop.store.sums import add_to_sums
from fieldloop.store.tables import NounTable, convert_to_column_value, get_noun_table, outcomes

N = TypeVar("N")
SEQ = list(outcomes.c.keys()).index("seq")


class Tables:
    """The projected tables, through one connection."""

    def __init__(self, connection: Connection, statements: Statements) -> None:
        """Use a connection; its owner commits."""
        self._connection, self._statements = connection, statements
        self._is_sqlite = connection.dialect.name == "sqlite"

    def put(self, noun: Any, seq: int, place: int = 0, **given: Any) -> None:
        """Write a noun's row, or overwrite the one with the same key; other columns keep their value."""
        entry = get_noun_table(type(noun))
        row = entry.make_cells(noun, given) | {"seq": seq, "place": place, "body": encode_event_body(noun)}
        self._connection.execute(_build_upsert(entry, tuple(row), is_sqlite=self._is_sqlite), row)

    def set(self, noun: type, where: Mapping[str, Any], **values: Any) -> None:
        """Change columns that are not part of the noun itself."""
        entry = get_noun_table(noun)
        changed = {name: convert_to_column_value(value) for name, value in values.items()}
        self._connection.execute(update(entry.table).where(*self.build_criteria(entry, where)).values(changed))

    def overwrite_noun(self, noun: Any, **given: Any) -> None:
        """Overwrite a noun that is already here; it keeps its place in the order of lists."""
        entry = get_noun_table(type(noun))
        changed = entry.make_cells(noun, given) | {"body": encode_event_body(noun)}
        where = {name: getattr(noun, name) for name in entry.key}
        self._connection.execute(update(entry.table).where(*self.build_criteria(entry, where)).values(changed))

    def drop(self, noun: type, where: Mapping[str, Any]) -> None:
        """Remove rows."""
        entry = get_noun_table(noun)
        self._connection.execute(delete(entry.table).where(*self.build_criteria(entry, where)))

    def put_outcomes(self, rows: Sequence[Row]) -> None:
        """Write outcomes and their sums by hour; an outcome with a known id replaces the earlier one."""
        done = get_driver_cursor(self._connection)
        done.executemany(self._statements.add_outcomes, rows)
        fresh = list(rows) if done.rowcount == len(rows) else [row for row in rows if self._insert_or_replace(row)]
        add_to_sums(self._connection, self._statements, fresh)

    def find(
        self, noun: type[N], where: Mapping[str, Any] | None = None, *, newest: bool = False, limit: int | None = None
    ) -> list[N]:
        """Return nouns ordered by the events that state them, filtered by key columns."""
        return [found for found, _ in self.find_with_place(noun, where, newest=newest, limit=limit)]

    def find_with_place(
        self, noun: type[N], where: Mapping[str, Any] | None = None, *, newest: bool = False, limit: int | None = None
    ) -> list[tuple[N, int]]:
        """Return nouns, each with the sequence number of the last event that states it."""
        entry = get_noun_table(noun)
        columns = (entry.table.c.body, entry.table.c.seq) if entry.has_body else tuple(entry.table.c)
        order = (entry.table.c.seq, entry.table.c.place) if entry.has_body else (entry.table.c.seq,)
        query = select(*columns).where(*self.build_criteria(entry, where)).limit(limit)
        query = query.order_by(*(each.desc() if newest else each for each in order))
        rows = self._connection.execute(query)
        if entry.has_body:
            read = get_body_decoder(noun)
            return [(read(body), seq) for body, seq in rows]
        return [(decode_outcome(list(row)), row[SEQ]) for row in rows]  # type: ignore[misc]  # only Outcome has no body

    def get(self, noun: type[N], id_or_prefix: str) -> N:
        """Return the noun with this id or this unique id prefix."""
        entry, name = get_noun_table(noun), re.sub(r"(?<=[a-z])(?=[A-Z])", " ", noun.__name__).lower()
        if len(entry.key) != 1 or entry.key == ("seq",):
            raise BadInput(f"{noun.__name__} has no id of its own. Find it by {', '.join(entry.columns)}.")
        column = entry.table.c[entry.key[0]]
        begin = convert_to_column_value(id_or_prefix)
        query = select(column).where(column >= begin, column < begin + "\U0010ffff").order_by(column).limit(3)
        ids = list(self._connection.scalars(query)) if begin else []
        if not ids:
            known = self._connection.scalars(select(column).order_by(entry.table.c.seq.desc()).limit(200))
            raise UnknownName(name, id_or_prefix, [each[: max(len(begin), 1)] for each in known])
        if len(ids) > 1 and ids[0] != begin:
            listed = ", ".join(repr(each) for each in ids[:2]) + (" …" if len(ids) > 2 else "")  # noqa: PLR2004 - two are shown
            raise BadInput(f"{id_or_prefix!r} is a prefix of more than one {name}: {listed}. Give more characters.")
        return self.find(noun, {entry.key[0]: ids[0]})[0]

    def count(self, noun: type, where: Mapping[str, Any] | None = None) -> int:
        """Count rows of a noun's table."""
        entry = get_noun_table(noun)
        query = select(func.count()).select_from(entry.table).where(*self.build_criteria(entry, where))
        return self._connection.scalar(query) or 0

    def _insert_or_replace(self, row: Row) -> bool:
        """Was this row inserted? If its id already exists, replace the old row."""
        columns = outcomes.c
        old = list(self._connection.execute(select(outcomes).where(columns.id == row[0])).one())
        if old[SEQ] == row[SEQ]:
            return True
        add_to_sums(self._connection, self._statements, [old], sign=-1)
        self._connection.execute(
            update(outcomes).where(columns.id == row[0]).values(dict(zip(columns.keys(), row, strict=True)))
        )
        add_to_sums(self._connection, self._statements, [row])
        return False

    def build_criteria(self, entry: NounTable, where: Mapping[str, Any] | None) -> list[ColumnElement[bool]]:
        asked = where or {}
        for name in asked:
            if name not in entry.columns and name != "seq":
                raise UnknownName(f"column of {entry.noun.__name__}", name, entry.columns)
        return [self._build_criterion(entry.table.c[name], value) for name, value in asked.items()]

    def _build_criterion(self, column: Column[Any], value: Any) -> ColumnElement[bool]:
        if value is None:
            return column.is_(None)
        if isinstance(value, range):
            return (column >= value.start) & (column < value.stop)
        if isinstance(value, list | tuple | set | frozenset):
            cells = [convert_to_column_value(each) for each in value]
            if self._is_sqlite:  # one parameter for a list of any length
                return column.in_(select(func.json_each(json.dumps(cells)).table_valued("value").c.value))
            return column == any_(bindparam(None, cells, ARRAY(column.type)))
        equal: ColumnElement[bool] = column == convert_to_column_value(value)
        return equal


def get_body_decoder(noun: type[N]) -> Callable[[str], N]:
    """Return the decoder of a noun's body; episodes, being many, have a faster one."""
    if noun is Episode:
        return cast("Callable[[str], N]", decode_episode)
    return lambda body: from_plain(noun, json.loads(body))


@functools.cache
def _build_upsert(entry: NounTable, columns: tuple[str, ...], *, is_sqlite: bool) -> Insert:
    return build_upsert(entry.table, entry.key, columns, is_sqlite=is_sqlite)
