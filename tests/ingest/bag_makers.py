"""ROS bags with known content, written by somebody else's library."""

import cv2
import numpy as np
from rosbags.rosbag1 import Writer as Ros1Writer
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
from rosbags.rosbag2 import Writer as Rosbag2Writer
from rosbags.typesys import Stores, get_typestore

START = 1_767_225_600_000_000_000
JOINTS = ("shoulder", "elbow")
HZ, SECONDS = 20, 2
LATE = 3_000_000
LEVELS = tuple(range(40, 40 + 10 * SECONDS, 2))
Format = Ros1Writer.CompressionFormat


def _stamp(store, at_ns):
    time = store.types["builtin_interfaces/msg/Time"](sec=at_ns // 10**9, nanosec=at_ns % 10**9)
    fields = {"stamp": time, "frame_id": "base"}
    header = store.types["std_msgs/msg/Header"]
    return header(seq=0, **fields) if "seq" in header.__dataclass_fields__ else header(**fields)


def content(store):
    """Yield topic, type, arrival and message: joints, pictures of one grey level each, and a line of text."""
    picture, text = store.types["sensor_msgs/msg/CompressedImage"], store.types["std_msgs/msg/String"]
    joints = store.types["sensor_msgs/msg/JointState"]
    rows = [(START + 5, "/note", text(data="hello"))]
    for i in range(HZ * SECONDS):
        at = START + i * 10**9 // HZ
        row = np.asarray([0.01 * i, -0.02 * i])
        made = joints(header=_stamp(store, at), name=list(JOINTS), position=row, velocity=row[:0], effort=row * 2)
        rows.append((at + LATE, "/joints", made))
    for i, level in enumerate(LEVELS):
        at = START + i * 10**8
        data = cv2.imencode(".png", np.full((24, 32, 3), level, np.uint8))[1].ravel()
        rows.append((at + LATE + 1, "/camera", picture(header=_stamp(store, at), format="png", data=data)))
    return [(topic, made.__msgtype__, at, made) for at, topic, made in sorted(rows, key=lambda row: row[0])]


def write_ros1(path, compression=None, chunk_bytes=1500):
    """Write a ROS 1 bag of several chunks."""
    store = get_typestore(Stores.ROS1_NOETIC)
    writer = Ros1Writer(path)
    writer.chunk_threshold = chunk_bytes
    if compression:
        writer.set_compression(compression)
    with writer:
        connections = {}
        for topic, type_, at, made in content(store):
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, type_, typestore=store, callerid=f"/node{topic}")
            writer.write(connections[topic], at, store.serialize_ros1(made, type_))
    return path


def write_rosbag2(folder, storage=StoragePlugin.SQLITE3, mode=None, chosen=None):
    """Write a rosbag2 folder; `chosen` picks messages by their index."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    writer = Rosbag2Writer(folder, version=9, storage_plugin=storage)
    if mode:
        writer.set_compression(CompressionMode[mode.upper()], CompressionFormat.ZSTD)
    writer.set_custom_data("operator", "Ada")
    writer.set_custom_data("lux", "420")
    with writer:
        connections = {}
        for index, (topic, type_, at, made) in enumerate(content(store)):
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, type_, typestore=store)
            if chosen is None or chosen(index):
                writer.write(connections[topic], at, store.serialize_cdr(made, type_))
    return folder


__all__ = ["JOINTS", "LEVELS", "START", "Format", "StoragePlugin", "write_ros1", "write_rosbag2"]
