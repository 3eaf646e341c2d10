"""Where the files of a LeRobot dataset lie: links are followed, paths that lead out are not."""

import json
import os

import pytest

from fieldloop.ingest import open_log
from fieldloop.testing.facts import write_note_facts

DATA = "data/chunk-000/file-000.parquet"


def read(folder):
    log = open_log(folder)
    return log, list(log.recordings)


def said(log, recordings=()):
    return [
        f"{d.subject} {d.place}: {write_note_facts(d.message)}"
        for d in (*log.defects, *(d for r in recordings for d in r.defects))
    ]


def edit_info(folder, **changes):
    path = folder / "meta/info.json"
    info = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in info.items() if value is not None}))
    return info


def test_a_path_that_leads_out_of_the_dataset_is_not_followed(v3, tmp_path):
    (tmp_path / "secret.mp4").write_bytes((v3 / "videos/observation.images.wrist/chunk-000/file-000.mp4").read_bytes())
    edit_info(v3, video_path="../secret.mp4")
    log, recordings = read(v3)
    assert not any("camera/wrist" in r.streams for r in recordings)
    assert any("the file is missing" in line for line in said(log, recordings))


@pytest.mark.parametrize("template", ["/{out}", "videos/../../{out}", "../{out}", "data/../../picks/../{out}"])
def test_no_way_of_writing_a_path_leads_out(v3, tmp_path, template):
    (tmp_path / "secret.mp4").write_bytes((v3 / "videos/observation.images.wrist/chunk-000/file-000.mp4").read_bytes())
    outside = str(tmp_path / "secret.mp4")[1:] if template.startswith("/") else "secret.mp4"
    edit_info(v3, video_path=template.format(out=outside))
    _, recordings = read(v3)
    assert not any("camera/wrist" in r.streams for r in recordings)


def linked(folder, blobs):
    """Move every file elsewhere and leave a link in its place, as a download of Hugging Face's does."""
    blobs.mkdir()
    for number, path in enumerate(sorted(p for p in folder.rglob("*") if p.is_file())):
        path.rename(blobs / f"{number}")
        path.symlink_to(os.path.relpath(blobs / f"{number}", path.parent))


@pytest.mark.parametrize("which", ["v2", "v3"])
def test_a_dataset_of_links_reads_like_one_of_files(which, request, tmp_path):
    folder = request.getfixturevalue(which)
    before = [(r.episode.id, r.streams.keys()) for r in read(folder)[1]]
    linked(folder, tmp_path / "blobs")
    log, recordings = read(folder)
    assert said(log, recordings) == []
    assert [(r.episode.id, r.streams.keys()) for r in recordings] == before
    assert all(frame.size for frame in recordings[0].streams["camera/wrist"].pictures.frames([0, 9]))


@pytest.mark.parametrize("name", ["videos/observation.images.wrist/chunk-000/file-000.mp4", DATA, "meta/info.json"])
@pytest.mark.parametrize(
    ("target", "advice"), [(".git/annex/objects/a/SHA256E-s9--ab", "git annex get"), ("../blobs/ab", "download")]
)
def test_a_link_to_a_file_that_is_not_there_says_what_to_do(v3, name, target, advice):
    (v3 / name).unlink()
    (v3 / name).symlink_to(target)
    log, recordings = read(v3)
    assert any(advice in line for line in said(log, recordings))
