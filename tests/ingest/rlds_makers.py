"""TFRecord files made without a line of ours: protobuf's own Example, and framing from the format's description."""

import json
import struct

import cv2
import google_crc32c
import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FIELD = descriptor_pb2.FieldDescriptorProto


def _message(name, *fields):
    made = descriptor_pb2.DescriptorProto(name=name)
    for number, (field, kind, label, type_name) in enumerate(fields, 1):
        made.field.add(name=field, number=number, type=kind, label=label, type_name=type_name)
    return made


def _example_class():
    many, one, inner = FIELD.LABEL_REPEATED, FIELD.LABEL_OPTIONAL, FIELD.TYPE_MESSAGE
    file = descriptor_pb2.FileDescriptorProto(name="example.proto", package="tf", syntax="proto3")
    lists = (("BytesList", FIELD.TYPE_BYTES), ("FloatList", FIELD.TYPE_FLOAT), ("Int64List", FIELD.TYPE_INT64))
    for name, kind in lists:
        file.message_type.append(_message(name, ("value", kind, many, None)))
    feature = _message(
        "Feature", ("bytes_list", inner, one, ".tf.BytesList"), ("float_list", inner, one, ".tf.FloatList"),
        ("int64_list", inner, one, ".tf.Int64List"),
    )  # fmt: skip
    feature.oneof_decl.add(name="kind")
    for field in feature.field:
        field.oneof_index = 0
    file.message_type.append(feature)
    features = _message("Features", ("feature", inner, many, ".tf.Features.FeatureEntry"))
    entry = _message("FeatureEntry", ("key", FIELD.TYPE_STRING, one, None), ("value", inner, one, ".tf.Feature"))
    entry.options.map_entry = True
    features.nested_type.append(entry)
    file.message_type.append(features)
    file.message_type.append(_message("Example", ("features", inner, one, ".tf.Features")))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tf.Example"))


Example = _example_class()


def example(features):
    """A mapping of name to bytes, floats or whole numbers becomes the bytes of an Example."""
    made = Example()
    for name, values in features.items():
        feature = made.features.feature[name]
        if isinstance(values, list) and all(isinstance(v, bytes) for v in values):
            feature.bytes_list.value.extend(values)
            feature.bytes_list.SetInParent()
        elif np.asarray(values).dtype.kind == "f":
            feature.float_list.value.extend(np.asarray(values).ravel().tolist())
            feature.float_list.SetInParent()
        else:
            feature.int64_list.value.extend(np.asarray(values).ravel().astype(np.int64).tolist())
            feature.int64_list.SetInParent()
    return made.SerializeToString(deterministic=True)


def parse(payload):
    """The reverse, by protobuf."""
    found = {}
    for name, feature in Example.FromString(payload).features.feature.items():
        kind = feature.WhichOneof("kind")
        found[name] = list(getattr(feature, kind).value) if kind else None
    return found


def masked(data):
    crc = google_crc32c.value(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def framed(*payloads):
    parts = []
    for payload in payloads:
        length = struct.pack("<Q", len(payload))
        parts += [length, struct.pack("<I", masked(length)), payload, struct.pack("<I", masked(payload))]
    return b"".join(parts)


def unframed(data):
    """Every payload of a file, its checksums held against the bytes."""
    payloads, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        payload = data[at + 12 : at + 12 + length]
        assert struct.unpack_from("<I", data, at + 8)[0] == masked(data[at : at + 8])
        assert struct.unpack_from("<I", data, at + 12 + length)[0] == masked(payload)
        payloads.append(payload)
        at += length + 16
    return payloads


def tensor(dtype, *shape, encoding="none"):
    sides = {"dimensions": [str(s) for s in shape]} if shape else {}
    return {"pythonClassName": "x.Tensor", "tensor": {"shape": sides, "dtype": dtype, "encoding": encoding}}


def image(*shape, dtype="uint8", form="png"):
    sides = {"dimensions": [str(s) for s in shape]}
    return {"pythonClassName": "x.Image", "image": {"shape": sides, "dtype": dtype, "encodingFormat": form}}


TEXT = {"pythonClassName": "x.Text", "text": {}}


def dictionary(**features):
    return {"pythonClassName": "x.FeaturesDict", "featuresDict": {"features": features}}


def sequence(feature):
    return {"pythonClassName": "x.Sequence", "sequence": {"feature": feature, "length": "-1"}}


def dataset(folder, payloads, steps, metadata=None, *, shards=1, split="train", name="made"):
    """A dataset's folder as TFDS lays it out."""
    root = folder / name / "1.0.0"
    root.mkdir(parents=True)
    chunks = [payloads[i::shards] for i in range(shards)]
    for i, chunk in enumerate(chunks):
        (root / f"{name}-{split}.tfrecord-{i:05d}-of-{shards:05d}").write_bytes(framed(*chunk))
    declared = dictionary(steps=sequence(steps), **({"episode_metadata": metadata} if metadata else {}))
    (root / "features.json").write_text(json.dumps(declared))
    lengths = [str(len(chunk)) for chunk in chunks]
    splits = [{"name": split, "numBytes": "1", "shardLengths": lengths}]
    (root / "dataset_info.json").write_text(json.dumps({"name": name, "version": "1.0.0", "splits": splits}))
    return root


def marks(count):
    first, last = np.arange(count) == 0, np.arange(count) == count - 1
    return {"steps/is_first": first, "steps/is_last": last, "steps/is_terminal": last}


MARKS = {name: tensor("bool") for name in ("is_first", "is_last", "is_terminal")}
STEPS = 5


def picture(seed, shape=(12, 16, 3), dtype=np.uint8):
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, shape).astype(dtype)


def encoded(array, form=".png"):
    return cv2.imencode(form, array[:, :, ::-1] if array.ndim == 3 and array.shape[2] == 3 else array)[1].tobytes()


def plain(steps=STEPS, seed=0, **more):
    """An ordinary episode: a camera, a state, an action, an instruction."""
    random = np.random.default_rng(seed)
    return marks(steps) | {
        "steps/action": random.normal(size=(steps, 3)).astype("f4"),
        "steps/observation/state": random.normal(size=(steps, 2)).astype("f4"),
        "steps/observation/image": [encoded(picture(seed * 100 + i)) for i in range(steps)],
        "steps/language_instruction": [b"lift the cup"] * steps,
        "steps/reward": np.zeros(steps, "f4"),
        "episode_metadata/operator_id": [b"ada"],
        "episode_metadata/success": [1],
        "episode_metadata/matrix": np.asarray([1.5, 0.1], "f4"),
    } | more  # fmt: skip


PLAIN = dictionary(
    action=tensor("float32", 3), reward=tensor("float32"), language_instruction=TEXT, **MARKS,
    observation=dictionary(state=tensor("float64", 2), image=image(12, 16, 3)),
)  # fmt: skip
METADATA = dictionary(operator_id=TEXT, success=tensor("bool"), matrix=tensor("float32", 2))
