"""Reads logs whose paths come in by lines, and says of each what came of it. Lives in a process that may die."""

import faulthandler
import hashlib
import json
import os
import resource
import sys
import time
import traceback
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from fieldloop.errors import UnreadableLog
from fieldloop.ingest.reader import count_recordings, find_whole_log_defects, list_log_files
from fieldloop.ingest.readers import READERS
from fieldloop.ingest.search import find_logs
from fieldloop.model.stream import StreamKind
from fieldloop.testing.reader import _check_stream

ROOM = 2 << 30


def examine(path):
    """Read everything a log holds, first and last frames too; hold its streams to what every reader promises."""
    found, defects = find_logs(path, READERS)
    if any("broke while looking" in defect.message for defect in defects):
        raise AssertionError(str(defects))
    content, complaints, refused = hashlib.sha256(), len(defects), not found
    for log in found:
        list_log_files(log.reader, log.path)
        try:
            count_recordings(log.reader, log.path)
            complaints += len(find_whole_log_defects(log.reader, log.path))
            for recording in log.reader.read(log.path):
                complaints += len(recording.defects)
                take(recording, content)
        except UnreadableLog:
            refused = True
    return {"content": content.hexdigest(), "defects": complaints, "refused": refused}


def take(recording, content):
    content.update(repr(recording.episode).encode())
    for name, stream in recording.streams.items():
        _check_stream(name, replace(stream, pictures=None))
        content.update(f"{name} {stream.kind} {stream.columns}".encode())
        for kind, times in stream.clocks.items():
            content.update(kind.encode() + times.tobytes())
        if stream.values is not None:
            content.update(stream.values.tobytes())
        if stream.pictures is not None and len(stream.pictures):
            take_pictures(stream, content)


def take_pictures(stream, content):
    """Look at the first and the last frame: each is of the size and kind that the stream states, or empty."""
    assert len(stream.pictures) == len(stream), f"{stream.name}: one frame a stamp"
    wanted = {0, len(stream.pictures) - 1}
    frames = list(stream.pictures.frames(wanted))
    assert len(frames) == len(wanted), f"{stream.name}: as many frames as were asked for"
    width, height = stream.pictures.size
    for frame in frames:
        if frame.size:
            assert frame.shape[:2] == (height, width), (
                f"{stream.name}: {frame.shape} where {width} × {height} is stated"
            )
            assert frame.dtype == (np.float32 if stream.kind is StreamKind.DEPTH else np.uint8), f"{stream.name}: dtype"
        content.update(frame.tobytes())


def place_of(error):
    """Name the deepest line of ours that an error came through."""
    ours = [frame for frame in traceback.extract_tb(error.__traceback__) if "fieldloop" in frame.filename]
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"


def bound():
    """Allow what is used already and two gigabytes more."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main():
    warnings.simplefilter("error")
    faulthandler.enable()
    answers = os.fdopen(os.dup(1), "w")  # libraries print what they like
    os.dup2(2, 1)
    examine(Path(sys.argv[1]))  # the good log: loads every library
    bound()
    for line in sys.stdin:
        begun = time.process_time()
        try:
            said = examine(Path(line.strip()))
        except BaseException as error:  # noqa: BLE001 - whatever comes out is what we are after
            said = {"error": f"{type(error).__name__}: {str(error)[:300]}", "place": place_of(error)}
            said["trace"] = "".join(traceback.format_exception(error))[-3000:]
        said["seconds"] = time.process_time() - begun
        answers.write(json.dumps(said) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
