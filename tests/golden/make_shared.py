"""Read every shared log set anew into shared_data.json: `python tests/golden/make_shared.py`.

Only when a change of the reading is meant; look at the difference before it is kept.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.shared import find_shared_data

GOLDEN = Path(__file__).parent / "shared_data.json"
MOST_COLUMNS = 8
SETS = {
    "ros1-bags": "rosbagjs/*.bag",
    "mcap-ros2": ["rerun/*.mcap", "rosbag2/*/convert_?", "rosbag2/*/talker", "rosbag2/*/wbag", "rosbag2/*/reindex*/*"],
    "lerobot-v20-gr1": ".",
    "lerobot-v21-g1": ".",
    "hdf5-robomimic": "*/dummy_data/*.hdf5",
    "hdf5-d4rl-adroit-human": "*/dummy_data/*.hdf5",
    "rlds-octo-bridge": ".",
    "video-codec-edge": "*.mp4",
    "mcap-conformance": "**/*.mcap",
}
DIGESTED = {"mcap-conformance"}


def logs(name):
    """Yield the logs of a set, each with the name it has in the golden file."""
    folder = find_shared_data(name)
    patterns = SETS[name] if isinstance(SETS[name], list) else [SETS[name]]
    found = [folder] if patterns == ["."] else sorted({path for p in patterns for path in folder.glob(p)})
    for path in found:
        yield "." if path == folder else path.relative_to(folder).as_posix(), path


def reading(path):
    """Say what a reader makes of a log, in plain values."""
    try:
        log = open_log(path)
        recordings = list(log.recordings)
    except UnreadableLog as refused:
        return {"refused": _plain(str(refused), path)}
    episodes = [
        {
            "id": recording.episode.id[:16],
            "name": recording.episode.name,
            "task": recording.episode.task,
            "streams": {name: _stream(stream) for name, stream in recording.streams.items()},
            "defects": _defects(recording.defects, path),
        }
        for recording in recordings
    ]
    return {"format": log.format, "defects": _defects(log.defects, path), "episodes": episodes}


def digest(said):
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


def readings(name):
    """Read a whole set; of sets with hundreds of logs a digest each."""
    said = {title: reading(path) for title, path in logs(name)}
    return {title: digest(one) for title, one in said.items()} if name in DIGESTED else said


def _stream(stream):
    times = stream.times_ns
    said = {
        "kind": stream.kind.value,
        "count": len(times),
        "start_ns": int(times[0]) if len(times) else None,
        "end_ns": int(times[-1]) if len(times) else None,
        "clocks": sorted(kind.value for kind in stream.clocks),
        "nominal_hz": None if stream.nominal_hz is None else round(stream.nominal_hz, 6),
    }
    if stream.pictures is not None:
        said["size"] = list(stream.pictures.size)
    if stream.values is not None:
        said["shape"] = list(stream.values.shape)
        said["columns"] = ", ".join(stream.columns[:MOST_COLUMNS]) + (
            " …" if len(stream.columns) > MOST_COLUMNS else ""
        )
    return said


def _defects(defects, path):
    return [_plain(f"{d.subject} | {d.place} | {write_note_facts(d.message)}", path) for d in defects]


def _plain(text, path):
    """Take out where the data lie, and what other formats are read: that is not what this is about."""
    return re.sub(r" fieldloop reads: .*", "", text.replace(str(path), path.name))


def laid_out(value, levels=6, indent=""):
    """Write JSON a stream a line, so that a difference is seen at once."""
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    inner = indent + " "
    entries = (
        [f"{json.dumps(key, ensure_ascii=False)}: {laid_out(one, levels - 1, inner)}" for key, one in value.items()]
        if isinstance(value, dict)
        else [laid_out(one, levels - 1, inner) for one in value]
    )
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return begin + "\n" + ",\n".join(inner + entry for entry in entries) + f"\n{indent}{end}"


def main():
    """Read the sets that this machine has anew; of the others the earlier readings stay."""
    absent = [name for name in SETS if find_shared_data(name) is None]
    if len(absent) == len(SETS):
        sys.exit("No shared data here, so nothing was read. Name their folder in FIELDLOOP_SHARED.")
    earlier = json.loads(GOLDEN.read_text(encoding="utf-8"))
    said = {name: earlier[name] if name in absent else readings(name) for name in SETS}
    GOLDEN.write_text(laid_out(said) + "\n", encoding="utf-8")
    if absent:
        sys.stderr.write(f"Not here, so left as they were: {', '.join(absent)}\n")


if __name__ == "__main__":
    main()
