"""Every record of the format's own conformance set, field by field."""

import json

import numpy as np
import pytest
from bench.format_speed.mcap_stamps import stamps

from fieldloop.ingest.readers.mcap import McapReader
from fieldloop.ingest.readers.mcap.chunks import unpack_chunk
from fieldloop.ingest.readers.mcap.parse import parse_record
from fieldloop.ingest.readers.mcap.records import MAGIC, RECORD_HEAD, Attachment, Chunk, MessageIndex
from fieldloop.model.stream import ClockKind

SETS = {"NoData", "OneAttachment", "OneMessage", "OneMetadata", "OneSchemalessMessage", "TenMessages"}


def plain(value):
    """Write a field as the conformance set does: numbers as text, bytes as lists of them."""
    if isinstance(value, bytes | memoryview):
        return [str(byte) for byte in bytes(value)]
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    return str(value)


def as_json(record):
    fields = {name: plain(value) for name, value in record._asdict().items()}
    if isinstance(record, Attachment):
        del fields["crc"]  # the set does not state it
    return {"type": type(record).__name__, "fields": [[name, fields[name]] for name in sorted(fields)]}


def all_records(data):
    """Yield every record of a whole file, those inside chunks in place of their chunk."""
    for record in records_in(data[len(MAGIC) : -len(MAGIC)]):
        if isinstance(record, Chunk):
            yield from records_in(unpack_chunk(record).records)
        else:
            yield record


def records_in(content):
    at = 0
    while at < len(content):
        opcode, length = RECORD_HEAD.unpack_from(content, at)
        at += RECORD_HEAD.size
        if record := parse_record(opcode, memoryview(content)[at : at + length]):
            yield record
        at += length


@pytest.fixture
def logs(shared):
    found = sorted(shared("mcap-conformance").rglob("*.mcap"))
    assert len(found) == 312
    assert {log.name.split("-")[0].removesuffix(".mcap") for log in found} == SETS
    return found


def test_every_record_is_read_as_stated(logs):
    kinds = set()
    for log in logs:
        wanted = json.loads(log.with_suffix(".json").read_text())["records"]
        got = [as_json(r) for r in all_records(log.read_bytes()) if not isinstance(r, Chunk | MessageIndex)]
        assert got == wanted, log.name
        kinds |= {record["type"] for record in wanted}
    assert kinds == {
        "Header", "Schema", "Channel", "Message", "ChunkIndex", "Attachment", "AttachmentIndex", "Statistics",
        "Metadata", "MetadataIndex", "SummaryOffset", "DataEnd", "Footer",
    }  # fmt: skip


def test_every_message_index_points_at_its_messages(logs):
    """The set's JSON leaves indexes out: hold them against the chunks they belong to."""
    seen = 0
    for log in logs:
        records = list(all_records(log.read_bytes()))
        logged = sorted(record.log_time for record in records if type(record).__name__ == "Message")
        indexed = [record.records for record in records if isinstance(record, MessageIndex)]
        if indexed:
            assert sorted(np.concatenate(indexed)[:, 0].tolist()) == logged, log.name
            seen += 1
    assert seen > 50


def test_the_reader_finds_every_message_and_no_defect(logs):
    for log in logs:
        (got,) = McapReader().read(log)
        wanted = json.loads(log.with_suffix(".json").read_text())["records"]
        messages = [dict(record["fields"]) for record in wanted if record["type"] == "Message"]
        logged = [int(message["log_time"]) for message in messages]
        found = [t for stream in got.streams.values() for t in stream.clocks[ClockKind.LOG].tolist()]
        assert found == logged, log.name
        assert [d.message.code for d in got.defects] == ([] if messages else ["ingest.no_messages"])
        assert [t for times in stamps(log).values() for t in times.tolist()] == logged, log.name


def test_metadata_and_attachments_become_facts(logs):
    for log in logs:
        (got,) = McapReader().read(log)
        if log.name.startswith("OneMetadata"):
            assert got.episode.get_fact("myMetadata.foo") == "bar"
        if log.name.startswith("OneAttachment"):
            assert got.episode.get_fact("attachment.myFile") == (
                "application/octet-stream, 3 bytes, "
                "sha256 039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81"
            )
