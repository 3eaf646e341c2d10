"""MCAP logs made message by message, with the `mcap` package."""

from mcap.writer import CompressionType, Writer

from fieldloop.ingest import open_log
from fieldloop_robot.messages import JointState

SECOND = 1_000_000_000


def read(path):
    (recording,) = open_log(path).recordings
    return recording


def write(path, channels, *, metadata=None, records=(), attachments=(), about=None, **options):
    """Write messages given as {topic: (encoding, schema (name, encoding, text) or None, [(log, publish, data), …])}."""
    with path.open("wb") as file:
        writer = Writer(file, **{"compression": CompressionType.NONE, **options})
        writer.start()
        for name, pairs in [*([("fieldloop.episode", metadata)] if metadata else []), *records]:
            writer.add_metadata(name, pairs)
        for name, media_type, data in attachments:
            writer.add_attachment(1, 1, name, media_type, data)
        messages = []
        for topic, (encoding, schema, rows) in channels.items():
            text = schema[2] if schema else b""
            text = text if isinstance(text, bytes) else text.encode()
            number = writer.register_schema(schema[0], schema[1], text) if schema else 0
            channel = writer.register_channel(topic, encoding, number, (about or {}).get(topic, {}))
            messages += [(log, channel, publish, data) for log, publish, data in rows]
        for log, channel, publish, data in sorted(messages, key=lambda m: m[:2]):
            writer.add_message(channel, log, data, publish)
        writer.finish()
    return path


def ros(made, stamps):
    rows = [(stamp + 2000, stamp + 1000, message.payload(stamp)) for message, stamp in zip(made, stamps, strict=True)]
    return ("cdr", (made[0].TYPE, "ros2msg", made[0].SCHEMA), rows)


def small_log(path, **options):
    """Forty messages of two joints in some chunks."""
    stamps = [SECOND + i * 10_000_000 for i in range(40)]
    joints = [JointState(("a", "b"), (0.1 * i, 0.2 * i)) for i in range(40)]
    return write(
        path, {"/joints": ros(joints, stamps)}, **{"chunk_size": 600, "compression": CompressionType.ZSTD, **options}
    )
