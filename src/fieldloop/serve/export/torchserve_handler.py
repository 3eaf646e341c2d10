"""The handler inside a TorchServe archive. It imports NumPy and ONNX Runtime or PyTorch, and nothing of fieldloop.

A request is JSON: the name of an input → its numbers, as nested lists, without the batch. The answer is
{"actions": rows of values, "action_names": [...]}.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np


class PolicyHandler:
    """Loads the weights of the archive once, and answers batches of requests."""

    def __init__(self) -> None:
        """Load nothing yet: TorchServe calls `initialize`."""
        self.initialized = False
        self._card: dict[str, Any] = {}
        self._run: Any = None

    def initialize(self, context: Any) -> None:
        """Load the card and the weights from the folder into which TorchServe unpacked the archive."""
        folder = Path(context.system_properties["model_dir"])
        self._card = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
        weights = folder / context.manifest["model"]["serializedFile"]
        self._run = _open_onnx(weights) if weights.suffix == ".onnx" else _open_torchscript(weights, self._card)
        self.initialized = True

    def handle(self, data: list[Any], context: Any) -> list[dict[str, Any]]:  # noqa: ARG002 - as TorchServe calls it
        """Answer each request of a batch."""
        names = self._card["action_names"]
        return [{"actions": self._answer(_read_body(row)).tolist(), "action_names": names} for row in data]

    def _answer(self, body: dict[str, Any]) -> Any:
        feed = {row["name"]: np.asarray(body[row["name"]], row["dtype"])[np.newaxis] for row in self._card["inputs"]}
        values = np.asarray(self._run(feed))
        return values.reshape(-1, len(self._card["action_names"]))


def _open_onnx(path: Path) -> Any:
    import onnxruntime

    session = onnxruntime.InferenceSession(path.read_bytes(), providers=onnxruntime.get_available_providers())
    outputs = [node.name for node in session.get_outputs()]
    chosen = next((name for name in ("action", "actions") if name in outputs), outputs[0])
    return lambda feed: session.run([chosen], feed)[0]


def _open_torchscript(path: Path, card: dict[str, Any]) -> Any:
    import torch

    module = torch.jit.load(str(path)).eval()

    def run(feed: dict[str, Any]) -> Any:
        with torch.inference_mode():
            return module(*(torch.from_numpy(feed[row["name"]]) for row in card["inputs"])).numpy()

    return run


def _read_body(row: Any) -> dict[str, Any]:
    body: Any = row.get("body", row.get("data", row)) if isinstance(row, dict) else row
    return dict(json.loads(body)) if isinstance(body, bytes | bytearray | str) else dict(body)
