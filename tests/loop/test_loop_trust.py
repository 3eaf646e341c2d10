"""A sealed record is there whole or not at all, holds no digest of a token, and shows where it was touched."""

import json

import pytest

from fieldloop.errors import BadInput
from fieldloop.loop import tokens, trust, whole_file
from fieldloop.model.event import TokenIssued
from fieldloop.model.finding import Status
from fieldloop.model.person import Role


@pytest.fixture
def sealed(told, tmp_path):
    tokens.issue(told, "op-7", role=Role.OPERATOR)
    file = tmp_path / "evidence.json"
    return file, trust.evidence(told, "p1", file)


def test_what_was_written_verifies(told, sealed):
    file, found = sealed
    assert found.links == told.store.last() + 1
    checked = trust.verify_evidence(file)
    assert (checked.status, checked.links, checked.head) == (Status.PASSED, found.links, found.head)


def test_the_first_broken_link_is_named(sealed):
    file, _ = sealed
    pack = json.loads(file.read_text())
    pack["links"][5]["record"]["body"]["actor"] = "somebody else"
    file.write_text(json.dumps(pack))
    checked = trust.verify_evidence(file)
    assert (checked.status, checked.broken_at) == (Status.FAILED, 5)
    assert "Link 5: its record is not what was sealed" in checked.message


def test_a_cut_off_end_is_seen(sealed):
    file, _ = sealed
    pack = json.loads(file.read_text())
    pack["links"].pop()
    file.write_text(json.dumps(pack))
    assert "links are missing or added" in trust.verify_evidence(file).message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no sealed record"),
        (b"\xff\xfe\x00", "no sealed record"),
        (b"[]", "no sealed record"),
        (b'{"schema": "check/1"}', "says it is 'check/1'"),
        (b'{"schema": "evidence/1", "head": "", "links": [{"position": 0}]}', "no sealed record"),
        (b'{"schema": "evidence/1", "head": "", "links": 3}', "no sealed record"),
    ],
)
def test_what_is_no_record_is_said(tmp_path, content, says):
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=says):
        trust.verify_evidence(file)


def test_a_missing_file_or_folder_is_said(told, tmp_path):
    with pytest.raises(BadInput, match="cannot be read"):
        trust.verify_evidence(tmp_path / "nowhere.json")
    with pytest.raises(BadInput, match="is no folder"):
        trust.evidence(told, "p1", tmp_path / "nowhere" / "evidence.json")
    with pytest.raises(BadInput, match="is a folder"):
        trust.evidence(told, "p1", tmp_path)


def test_a_write_that_breaks_leaves_the_old_record_and_nothing_beside_it(told, sealed, monkeypatch):
    file, _ = sealed
    before, beside = file.read_bytes(), sorted(file.parent.iterdir())

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_file.os, "fsync", full)
    with pytest.raises(BadInput, match="No space left"):
        trust.evidence(told, "p1", file)
    assert file.read_bytes() == before
    assert sorted(file.parent.iterdir()) == beside


def test_no_digest_of_a_token_leaves_the_house(told, sealed):
    (issued,) = told.store.events(TokenIssued)
    text = sealed[0].read_text()
    assert issued.event.token.sha256 not in text
    assert issued.event.token.id in text


def test_what_happens_while_it_is_sealed_waits_for_the_next_record(told, tmp_path, monkeypatch):
    until, tail = told.store.last(), type(told.store).tail

    def busy(store, after=0, limit=1000):
        store.append([next(store.events(TokenIssued)).event], actor="eva", at_ns=0)
        return tail(store, after, limit)

    tokens.issue(told, "op-7", role=Role.OPERATOR)
    monkeypatch.setattr(type(told.store), "tail", busy)
    assert trust.evidence(told, "p1", tmp_path / "evidence.json").links == until + 2
