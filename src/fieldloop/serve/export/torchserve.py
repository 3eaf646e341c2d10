"""A model archive of TorchServe (.mar): a zip of the weights, a handler and a manifest."""

import json
import zipfile
from pathlib import Path

from fieldloop.serve.bundle import CARD, Bundle

HANDLER = "fieldloop_handler.py"
MANIFEST = "MAR-INF/MANIFEST.json"
CREATED = (1980, 1, 1, 0, 0, 0)
"""The date of every file in the archive: the same policy gives the same bytes."""


def write_archive(path: Path, bundle: Bundle, weights: tuple[str, bytes], card: bytes) -> Path:
    """Write the archive; `weights` are the name of the file (.onnx or .pt) and its bytes."""
    name, data = weights
    manifest = {
        "createdOn": "",
        "runtime": "python",
        "model": {
            "modelName": path.stem,
            "serializedFile": name,
            "handler": HANDLER,
            "modelVersion": bundle.version or "1.0",
        },
        "archiverVersion": "0.12.0",
    }
    handler = Path(__file__).with_name("torchserve_handler.py").read_bytes()
    files = {name: data, CARD: card, HANDLER: handler, MANIFEST: json.dumps(manifest, indent=2).encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for entry, content in files.items():
            zipped.writestr(zipfile.ZipInfo(entry, CREATED), content, zipfile.ZIP_DEFLATED)
    return path
