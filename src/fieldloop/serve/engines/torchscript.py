"""Run a TorchScript file with PyTorch in this process.

Only `torch.jit.load` opens it, which restores a graph of PyTorch's own operations; a pickled model is never opened.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput, Refused
from fieldloop.serve.bundle import read_bundle
from fieldloop.serve.engines.arrays import ChunkEngine, get_first_line, run_trial_inference
from fieldloop.serve.engines.torch_runner import TorchRunner, check_device, require_torch


class TorchScriptEngine(ChunkEngine):
    """A scripted policy; it may be used by one thread at a time."""


def load_bundle(
    folder: Path, threads: int = 1, policy: str = "", computing: Mapping[str, Any] | None = None
) -> TorchScriptEngine:
    """Open a bundle whose weights are a TorchScript file."""
    bundle, asked = read_bundle(folder), computing or {}
    module = open_script(folder / next(iter(bundle.files)), str(asked.get("device", "cpu")), threads)
    names = tuple(i.name for i in bundle.inputs)
    function = make_call(
        module, names, by_name=bool(bundle.options.get("by_name")), output=bundle.options.get("output")
    )
    most = int(asked.get("max_batch", 1))
    mode = str(asked.get("torch_mode", "eager"))
    if mode.startswith("compiled"):
        raise BadInput("A TorchScript file is compiled already; run it with torch_mode 'eager' or 'cuda_graph'.")
    runner = TorchRunner(function, mode=mode, device=str(asked.get("device", "cpu")))
    runner.prepare({name: np.zeros((1, *i.shape), i.dtype) for name, i in zip(names, bundle.inputs, strict=True)}, most)
    reopen = (load_bundle, folder, threads, policy, computing)
    engine = TorchScriptEngine(replace(bundle, policy=policy or bundle.policy), runner.run, reopen)
    run_trial_inference(engine, folder)
    return engine


def open_script(path: Path, device: str = "cpu", threads: int = 1) -> Any:
    """Load a TorchScript file; whatever else PyTorch saves is refused, and so are weights that are not finite."""
    torch = require_torch()
    check_device(device)
    torch.set_num_threads(threads)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # PyTorch would like another form; these files exist
            module = torch.jit.load(str(path), map_location=device).eval()
    except Exception as wrong:
        raise Refused(
            f"{path} is not TorchScript: {get_first_line(wrong)}. A model saved by torch.save is a pickle, which "
            "can run any code when it is opened; export it with torch.jit.script or torch.jit.trace, or as ONNX."
        ) from wrong
    for name, tensor in (*module.named_parameters(), *module.named_buffers()):
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise BadInput(f"{path}: the weights {name!r} hold numbers that are not finite. Take another checkpoint.")
    return module


def make_call(
    module: Any, names: tuple[str, ...], *, by_name: bool, output: str | None
) -> Callable[[Mapping[str, Any]], Any]:
    """Return the call of a module: with its inputs in order, or with one map of names to tensors."""

    def call(feed: Mapping[str, Any]) -> Any:
        answer = module(dict(feed)) if by_name else module(*(feed[name] for name in names))
        if isinstance(answer, dict):
            answer = answer[output] if output in answer else next(iter(answer.values()))
        return answer[0] if isinstance(answer, tuple | list) else answer

    return call
