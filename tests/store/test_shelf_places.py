"""What is particular to a shelf in a folder and to one on S3."""

import hashlib
import json
import os
import threading
from pathlib import Path

import pytest

from fieldloop.errors import BadInput, MissingExtra, StoreError
from fieldloop.model.episode import Blob
from fieldloop.store import open_shelf
from fieldloop.store.parquet import read_table, store_table
from fieldloop.store.shelf import FILES, FOLDERS, HashedShelf


@pytest.fixture
def folder_shelf(tmp_path):
    return open_shelf(tmp_path / "shelf")


@pytest.fixture
def s3_shelf(s3_url, s3_options):
    return open_shelf(s3_url, **s3_options)


def damage(shelf, blob):
    path = shelf._make_path(FILES, blob.sha256)
    path.chmod(0o644)
    path.write_bytes(b"x" * blob.size)


def test_damaged_bytes_are_never_served(folder_shelf, tmp_path):
    blob = folder_shelf.put_bytes(b"precious")
    damage(folder_shelf, blob)
    for serve in (
        lambda: folder_shelf.read(blob.sha256),
        lambda: folder_shelf.fetch_local_copy(blob, tmp_path / "cache"),
        lambda: folder_shelf.open(blob.sha256).read(blob.size),
    ):
        with pytest.raises(StoreError, match=f"Blob {blob.sha256} is damaged"):
            serve()


def test_bytes_cut_short_are_noticed_and_healed_by_putting_them_again(folder_shelf):
    blob = folder_shelf.put_bytes(b"precious")
    path = folder_shelf._make_path(FILES, blob.sha256)
    path.chmod(0o644)
    path.write_bytes(b"prec")
    with pytest.raises(StoreError, match="damaged"):
        folder_shelf.read(blob.sha256)
    folder_shelf.put_bytes(b"precious")
    assert folder_shelf.read(blob.sha256) == b"precious"


def test_jumping_about_reads_right(folder_shelf):
    content = bytes(range(256)) * 9000
    blob = folder_shelf.put_bytes(content)
    with folder_shelf.open(blob.sha256) as stream:
        stream.seek(-100, os.SEEK_END)
        assert stream.read() == content[-100:]
        stream.seek(1_500_000)
        assert (stream.read(10), stream.tell()) == (content[1_500_000:1_500_010], 1_500_010)


def test_a_local_blob_is_handed_out_without_a_copy(folder_shelf, tmp_path):
    blob = folder_shelf.put_bytes(b"large")
    path = folder_shelf.fetch_local_copy(blob, tmp_path / "cache")
    assert path == folder_shelf._make_path(FILES, blob.sha256)
    assert not (tmp_path / "cache").exists()
    assert path.stat().st_mode & 0o222 == 0, "nobody changes a blob by accident"


def test_a_local_folder_is_laid_out_by_links(folder_shelf, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(b"one")
    out = folder_shelf.fetch_local_copy(folder_shelf.put_folder(tmp_path / "in"), tmp_path / "cache")
    assert (out / "a").stat().st_nlink == 2


def test_a_file_that_grows_meanwhile_is_refused(folder_shelf, tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_bytes(b"begun")
    before = HashedShelf.put_file.__globals__["hash_file"]

    def grow(target):
        found = before(target)
        with target.open("ab") as stream:
            stream.write(b" and going on")
        return found

    monkeypatch.setitem(HashedShelf.put_file.__globals__, "hash_file", grow)
    with pytest.raises(StoreError, match="changed while it was read"):
        folder_shelf.put_file(path)
    assert list(folder_shelf._list_blobs()) == []


def test_what_a_killed_writer_left_is_swept_and_the_rest_stays(folder_shelf):
    blob = folder_shelf.put_bytes(b"kept")
    (folder_shelf.root / "tmp" / "half").write_bytes(b"hal")
    assert folder_shelf.sweep({blob.sha256}, min_age_s=3600).temporaries == 0
    swept = folder_shelf.sweep({blob.sha256}, min_age_s=-60)
    assert (swept.temporaries, swept.blobs) == (1, ())


def test_putting_an_old_orphan_again_saves_it_from_the_sweep(folder_shelf):
    blob = folder_shelf.put_bytes(b"again")
    os.utime(folder_shelf._make_path(FILES, blob.sha256), (0, 0))
    folder_shelf.put_bytes(b"again")
    assert folder_shelf.sweep(set(), min_age_s=3600).blobs == ()


def test_an_old_object_on_s3_is_young_again_when_it_is_put_again(s3_shelf):
    blob = s3_shelf.put_bytes(b"again")
    path = s3_shelf._make_path(FILES, blob.sha256)
    before = s3_shelf._system.info(path)["LastModified"]
    touched = []
    real = s3_shelf._touch
    s3_shelf._touch = lambda system, target: (touched.append(target), real(system, target))
    s3_shelf.put_bytes(b"again")
    assert touched == [path]
    assert s3_shelf._system.info(path)["LastModified"] >= before
    assert s3_shelf.read(blob.sha256) == b"again"


def test_links_are_followed_and_what_is_no_file_is_refused(folder_shelf, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "outside").write_bytes(b"seen")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "outside")
    out = folder_shelf.fetch_local_copy(folder_shelf.put_folder(tmp_path / "in"), tmp_path / "cache")
    assert (out / "link").read_bytes() == b"seen"
    (tmp_path / "in" / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="dangling is not a regular file"):
        folder_shelf.put_folder(tmp_path / "in")


@pytest.mark.parametrize("name", ["../escape", "/etc/escape", "a/../../escape"])
def test_a_list_that_leads_outside_is_refused(folder_shelf, tmp_path, name):
    member = folder_shelf.put_bytes(b"x")
    content = json.dumps({"schema": "folder/1", "files": [{"path": name, "sha256": member.sha256, "size": 1}]}).encode()
    sha256 = hashlib.sha256(content).hexdigest()
    folder_shelf._store_bytes(FOLDERS, sha256, content)
    with pytest.raises(StoreError, match="is outside"):
        folder_shelf.fetch_local_copy(Blob(sha256, 1, is_folder=True), tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_many_writers_of_the_same_bytes_agree(shelf):
    contents = [bytes([n]) * 50_000 for n in range(4)]
    results = [[] for _ in range(4)]

    def put(mine):
        for content in contents:
            mine.append(shelf.put_bytes(content))

    threads = [threading.Thread(target=put, args=(mine,)) for mine in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(mine == results[0] and len(mine) == 4 for mine in results)
    assert all(shelf.read(blob.sha256) == content for blob, content in zip(results[0], contents, strict=True))


def test_an_object_on_s3_is_never_overwritten(s3_shelf):
    blob = s3_shelf.put_bytes(b"first")
    with pytest.raises(FileExistsError):
        s3_shelf._system.pipe_file(s3_shelf._make_path(FILES, blob.sha256), b"other", mode="create")
    assert s3_shelf.read(blob.sha256) == b"first"


def test_a_large_file_goes_to_s3_in_parts_and_comes_back(s3_shelf, tmp_path, monkeypatch):
    import s3fs.core

    monkeypatch.setattr(s3fs.core, "calculate_chunksize", lambda *_, **__: 5 * 2**20)
    path = tmp_path / "large"
    path.write_bytes(os.urandom(11 * 2**20))
    blob = s3_shelf.put_file(path)
    assert s3_shelf.fetch_local_copy(blob, tmp_path / "cache").read_bytes() == path.read_bytes()


def test_a_spoilt_copy_in_the_cache_is_fetched_again(s3_shelf, s3_url, s3_options, tmp_path):
    blob = s3_shelf.put_bytes(b"precious")
    s3_shelf.fetch_local_copy(blob, tmp_path).write_bytes(b"spoilt")
    fresh = open_shelf(s3_url, **s3_options)
    assert fresh.fetch_local_copy(blob, tmp_path).read_bytes() == b"precious"


def test_s3_takes_its_keys_from_the_environment(s3_shelf, s3_url, s3_options, monkeypatch):
    blob = s3_shelf.put_bytes(b"seen by both")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_options["endpoint_url"])
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", s3_options["key"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", s3_options["secret"])
    assert open_shelf(s3_url).read(blob.sha256) == b"seen by both"


def test_a_bucket_that_is_not_there_is_named(s3_options):
    with pytest.raises(StoreError, match="no-such-bucket"):
        open_shelf("s3://no-such-bucket/x", **s3_options).put_bytes(b"x")


@pytest.mark.parametrize("url", ["ftp://host/x", "s3://", "s3:///prefix"])
def test_a_url_that_names_no_shelf_says_what_would(url):
    with pytest.raises(BadInput, match="s3://bucket/prefix"):
        open_shelf(url)


def test_s3_without_its_client_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"fieldloop\[s3\]"):
        open_shelf("s3://bucket/x")


def test_memories_are_apart_unless_they_are_named():
    blob = open_shelf("memory://").put_bytes(b"x")
    assert not open_shelf("memory://").has(blob.sha256)
    open_shelf("memory://named").put_bytes(b"x")
    assert open_shelf("memory://named").has(blob.sha256)


def test_a_folder_may_be_given_as_url_or_path(tmp_path):
    blob = open_shelf(f"file://{tmp_path}").put_bytes(b"x")
    assert open_shelf(str(tmp_path)).has(blob.sha256)
    assert open_shelf(Path(tmp_path)).has(blob.sha256)


def test_a_table_that_is_none_says_why(shelf):
    with pytest.raises(BadInput, match="equal lengths"):
        store_table(shelf, {"a": [1], "b": []})
    with pytest.raises(BadInput, match="more than one type"):
        store_table(shelf, {"a": [1, "x"]})
    with pytest.raises(BadInput, match="not a Parquet table"):
        read_table(shelf, shelf.put_bytes(b"text").sha256)
    with pytest.raises(BadInput, match="has no column c"):
        read_table(shelf, store_table(shelf, {"a": [1]})[0].sha256, ["c"])
