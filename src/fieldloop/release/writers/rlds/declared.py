"""features.json and dataset_info.json: what TFDS reads before it opens a record."""

from collections.abc import Mapping, Sequence
from typing import Any

CLASSES = "tensorflow_datasets.core.features"
TEMPLATE = "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"
Declared = dict[str, Any]


def declare_tensor(dtype: str, *shape: int, description: str = "") -> Declared:
    """Declare numbers; without a shape one number."""
    dimensions = {"dimensions": [str(side) for side in shape]} if shape else {}
    made = {"shape": dimensions, "dtype": dtype, "encoding": "none"}
    return _declare(description, f"{'tensor_feature.Tensor' if shape else 'scalar.Scalar'}", tensor=made)


def declare_image(width: int, height: int, *, depth: bool, form: str, description: str = "") -> Declared:
    """Declare a picture; distances are float32, which TFDS keeps bit for bit in the four colours of a PNG."""
    sides = {"dimensions": [str(height), str(width), "1" if depth else "3"]}
    made = {"shape": sides, "dtype": "float32" if depth else "uint8", "encodingFormat": "png" if depth else form}
    return _declare(description, "image_feature.Image", image=made)


def declare_text(description: str = "") -> Declared:
    """Declare a text."""
    return _declare(description, "text_feature.Text", text={})


def nest_by_path(declared_by_path: Mapping[str, Declared]) -> Declared:
    """Nest what is declared by path: `observation/state` lies in the dictionary `observation`."""
    here: dict[str, Declared] = {}
    below: dict[str, dict[str, Declared]] = {}
    for path, leaf in declared_by_path.items():
        first, _, rest = path.partition("/")
        if rest:
            below.setdefault(first, {})[rest] = leaf
        else:
            here[first] = leaf
    here |= {name: nest_by_path(inner) for name, inner in below.items()}
    return _declare("", "features_dict.FeaturesDict", featuresDict={"features": dict(sorted(here.items()))})


def declare_episodes(steps: Declared, metadata: Declared) -> Declared:
    """Declare an episode: its steps are a dataset of their own."""
    inner = _declare("", "dataset_feature.Dataset", sequence={"feature": steps, "length": "-1"})
    whole = {"steps": inner, "episode_metadata": metadata}
    return _declare("", "features_dict.FeaturesDict", featuresDict={"features": whole})


def make_dataset_info(
    name: str, version: str, description: str, splits: Sequence[tuple[str, Sequence[int], int]]
) -> Declared:
    """Describe the set as a whole; whole numbers are texts, as protobuf writes them in JSON."""
    return {
        "name": name, "version": version, "description": description, "fileFormat": "tfrecord",
        "releaseNotes": {version: "Written by fieldloop."},
        "splits": [
            {
                "name": split, "filepathTemplate": TEMPLATE, "numBytes": str(size),
                "shardLengths": [str(length) for length in lengths],
            }
            for split, lengths, size in splits
        ],
    }  # fmt: skip


def _declare(description: str, class_name: str, **made: Any) -> Declared:
    return {"pythonClassName": f"{CLASSES}.{class_name}", **made} | (
        {"description": description} if description else {}
    )
