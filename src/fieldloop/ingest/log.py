"""An opened log: which format, which files, and its recordings one at a time."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from fieldloop.errors import UnreadableLog
from fieldloop.ingest.mapping import LogMapping, apply_mapping
from fieldloop.ingest.reader import Reader, count_recordings, find_whole_log_defects, list_log_files, read_log_part
from fieldloop.ingest.reader_limits import weigh_defect
from fieldloop.ingest.readers import load_readers
from fieldloop.ingest.search import FoundLog, explain_not_a_log, find_logs
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.note import note

T = TypeVar("T")


class OpenLog:
    """A log that a reader recognises. Only the current recording is held in memory.

    `defects` are those of the log as a whole (a file among many that cannot be read, tables that
    disagree); it is complete once `recordings` has been walked through. A recording's own defects are its own.
    `met` and `facts` are the streams and facts a mapping could refer to, by the names the log gives them.
    """

    def __init__(
        self, path: Path, logs: tuple[FoundLog, ...], defects: tuple[Defect, ...], mapping: LogMapping | None = None
    ) -> None:
        self.path = path
        self._mapping = mapping
        self.met: set[str] = set()
        self.facts: set[str] = set()
        self.format = " + ".join(sorted({log.reader.name for log in logs}))
        self._found = logs
        self._defects = list(dict.fromkeys(map(weigh_defect, defects)))

    @property
    def files(self) -> tuple[Path, ...]:
        """Return every file that belongs to the log, sorted."""
        return tuple(sorted({file for log in self._found for file in list_log_files(log.reader, log.path)}))

    @property
    def expected_recordings(self) -> int:
        """Return how many recordings to expect, for a progress bar; broken logs may give fewer."""
        return sum(
            self._call_noting_failure(log.reader, log.path, partial(count_recordings, log.reader, log.path)) or 0
            for log in self._found
        )

    @property
    def defects(self) -> tuple[Defect, ...]:
        """Return the defects of the log as a whole, as far as it has been read."""
        return tuple(self._defects)

    @property
    def recordings(self) -> Iterator[Recording]:
        """Iterate over the recordings, from the first each time this is asked for."""
        return self.read_part(0, None)

    def read_part(self, start: int, stop: int | None) -> Iterator[Recording]:
        """Iterate over the recordings from `start` up to `stop`, so that several workers can share one log.

        Defects of the log as a whole are reported by the first part only; the others start with an empty list.
        """
        if start:
            self._defects.clear()
        for log in self._found:
            if len(self._found) == 1 or (stop is None and not start):
                yield from self._read_recordings(log.reader, log.path, start, stop)
                continue
            held = self._call_noting_failure(log.reader, log.path, partial(count_recordings, log.reader, log.path)) or 0
            if start < held:
                yield from self._read_recordings(log.reader, log.path, start, stop)
            start, stop = max(start - held, 0), None if stop is None else stop - held
            if stop is not None and stop <= 0:
                return

    def read_listed(self, place: int) -> Recording | None:
        """Return one recording at the least cost, without the defects of the log as a whole; None if there is none.

        A reader that has a listing finds it there; the others read it as a part of the log.
        """
        read_one = getattr(self._found[0].reader, "read_one", None) if len(self._found) == 1 else None
        path = self._found[0].path
        found = (
            self._call_noting_failure(self._found[0].reader, path, partial(read_one, path, place)) if read_one else None
        )
        if found is None:
            return next(self.read_part(place, place + 1), None)
        return apply_mapping(self._mapping, found) if self._mapping else found

    @property
    def listed_recordings(self) -> int:
        """Return how many recordings the log lists, without opening its data where it has a listing."""
        ask = getattr(self._found[0].reader, "count_listed", None) if len(self._found) == 1 else None
        counted = (
            self._call_noting_failure(self._found[0].reader, self._found[0].path, partial(ask, self._found[0].path))
            if ask
            else 0
        )
        return counted or self.expected_recordings

    def _read_recordings(self, reader: Reader, path: Path, start: int, stop: int | None) -> Iterator[Recording]:
        if start == 0:
            for defect in self._call_noting_failure(reader, path, partial(find_whole_log_defects, reader, path)) or ():
                self._add_defect(defect)
        recordings = self._call_noting_failure(reader, path, lambda: read_log_part(reader, path, start, stop))
        while recordings is not None:
            recording = self._call_noting_failure(reader, path, partial(next, recordings, None))
            if recording is None:
                return
            if self._mapping:
                self.met |= set(recording.streams)
                self.facts |= {name for name, _ in recording.episode.facts}
                recording = apply_mapping(self._mapping, recording)
            yield replace(recording, defects=tuple(map(weigh_defect, recording.defects)))

    def _call_noting_failure(self, reader: Reader, path: Path, call: Callable[[], T]) -> T | None:
        try:
            return call()
        except Exception as broken:  # noqa: BLE001 - a stranger's reader may raise anything; the other logs are read on
            cause = str(broken) if isinstance(broken, UnreadableLog) else f"{type(broken).__name__}: {broken}"
            self._add_defect(
                Defect(
                    self._name_relative_to_log(path), "", note("ingest.reader_failed", reader=reader.name, reason=cause)
                )
            )
            return None

    def _add_defect(self, defect: Defect) -> None:
        weighed = weigh_defect(defect)
        if weighed not in self._defects:
            self._defects.append(weighed)

    def _name_relative_to_log(self, path: Path) -> str:
        return path.name if path == self.path else path.relative_to(self.path).as_posix()


def open_log(path: Path, mapping: LogMapping | None = None, *, reader: str = "") -> OpenLog:
    """Open a log file, a dataset folder, or a folder with several logs; the reader is chosen by content.

    A mapping translates names, units and frames while reading; the log itself is never changed.
    `reader` names the reader that recognised the log earlier, so that the other readers are not tried again.
    Raises UnreadableLog, with what was looked for, where no reader recognises anything.
    """
    path = Path(path)
    if not path.exists():
        raise UnreadableLog(f"{path}: no such file or folder.")
    readers, broken = load_readers()
    named = [known for known in readers if known.name == reader]
    if len(named) == 1:  # two readers of one name: only the content shows which of them is meant
        return OpenLog(path, (FoundLog(named[0], path),), broken, mapping)
    logs, defects = find_logs(path, readers)
    if not logs:
        raise UnreadableLog(f"{explain_not_a_log(path)} fieldloop reads: {', '.join(sorted(r.name for r in readers))}.")
    return OpenLog(path, logs, (*broken, *defects), mapping)
