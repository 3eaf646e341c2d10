"""A report replaces a file, never a device, a pipe or a link."""

import os

import pytest

from fieldloop.errors import BadInput
from fieldloop.loop.work.atomic_files import write_atomically


def test_a_pipe_is_refused_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(BadInput, match="is a device, a pipe or a socket"):
        write_atomically(pipe, "text")
    assert pipe.is_fifo()


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    file, link = tmp_path / "file.html", tmp_path / "link.html"
    file.write_text("old")
    link.symlink_to(file)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file.html", "link.html"]
