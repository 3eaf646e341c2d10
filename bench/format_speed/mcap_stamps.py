"""When did messages arrive? From the index alone, without unpacking a chunk, where the file has one."""

import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.mcap import records as r
from fieldloop.ingest.readers.mcap.message_table import LAST_NS
from fieldloop.ingest.readers.mcap.parse import parse_record
from fieldloop.ingest.readers.mcap.records import RECORD_HEAD
from fieldloop.ingest.readers.mcap.scan import McapScan
from fieldloop.ingest.readers.mcap.summary import read_summary

Stamps = dict[str, NDArray[np.int64]]


def stamps(path: Path) -> Stamps:
    """Return when the messages of each topic were logged (ns), in the order they are stored.

    Where the index is missing, or does not account for every message, the whole file is read.
    """
    with path.open("rb") as file:
        indexed = _by_index(file, path.stat().st_size)
    return _by_scan(path) if indexed is None else indexed


def _by_index(file: BinaryIO, size: int) -> Stamps | None:
    summary = read_summary(file, size)
    topics = {record.id: record.topic for record in summary.records if isinstance(record, r.Channel)}
    counted = [record.message_count for record in summary.records if isinstance(record, r.Statistics)]
    chunks = [record for record in summary.records if isinstance(record, r.ChunkIndex)]
    if not (summary.intact and counted and topics):
        return None
    parts: dict[str, list[NDArray[np.int64]]] = {}
    found = 0
    for chunk in sorted(chunks, key=lambda record: record.chunk_start_offset):
        begin = chunk.chunk_start_offset + chunk.chunk_length
        if begin + chunk.message_index_length > size:
            return None
        file.seek(begin)
        try:
            indexes = _indexes(file.read(chunk.message_index_length))
        except (struct.error, ValueError):
            return None
        for topic, rows in _by_topic(indexes, topics).items():
            parts.setdefault(topic, []).append(rows)
            found += len(rows)
    if found != counted[0]:
        return None
    return {topic: np.concatenate(rows) for topic, rows in parts.items()}


def _indexes(content: bytes) -> list[r.MessageIndex]:
    indexes, at = [], 0
    while at + RECORD_HEAD.size <= len(content):
        opcode, length = RECORD_HEAD.unpack_from(content, at)
        at += RECORD_HEAD.size
        record = parse_record(opcode, memoryview(content)[at : at + length])
        if not isinstance(record, r.MessageIndex):
            raise ValueError("something else stands where an index should")  # noqa: TRY004 - it is the file's fault
        indexes.append(record)
        at += length
    return indexes


def _by_topic(indexes: list[r.MessageIndex], topics: dict[int, str]) -> Stamps:
    """Put the channels of one topic together, in the order of their places in the chunk."""
    entries: dict[str, list[NDArray[np.uint64]]] = {}
    for index in indexes:
        if len(index.records):
            entries.setdefault(topics.get(index.channel_id, ""), []).append(index.records)
    return {topic: _ordered(np.concatenate(rows)) for topic, rows in entries.items()}


def _ordered(entries: NDArray[np.uint64]) -> NDArray[np.int64]:
    places = entries[:, 1]
    if bool((places[1:] < places[:-1]).any()):
        entries = entries[np.argsort(places, kind="stable")]
    return np.minimum(entries[:, 0], LAST_NS).astype(np.int64)


def _by_scan(path: Path) -> Stamps:
    scan = McapScan(path)
    parts: dict[str, list[NDArray[np.int64]]] = {}
    for number, arrived in scan.iterate_batches():
        parts.setdefault(scan.catalogue.describe[number].topic, []).append(arrived.log_ns)
    return {topic: np.concatenate(rows) for topic, rows in parts.items()}
