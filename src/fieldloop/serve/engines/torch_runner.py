"""Run a function of tensors with PyTorch: eager, compiled, as a CUDA graph, or both.

A CUDA graph holds the copies to and from the GPU as well, so that a call is one launch and one wait. Graphs and
compiled code have fixed sizes: a batch is filled up to the next one, and each size is made once, before a robot asks.
Sizes of graphs lie close together: a GPU held 8 robots of a large model with them, 6 with powers of two. Compiled code
takes powers of two, because each size takes a minute or more to compile.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput, MissingExtra

MODES = ("eager", "compiled", "cuda_graph", "compiled_cuda_graph")
PRECISIONS = ("float32", "tf32", "bfloat16", "float16")
SIZE_STEPS, LARGE_STEP = ((8, 1), (16, 2)), 8
MOST_COMPILED = 256  # sizes × versions in one process; 8 by default
WARM_UPS = 3  # before a graph is recorded: libraries allocate and choose their kernels

Feed = Mapping[str, NDArray[Any]]
Function = Callable[[Mapping[str, Any]], Any]


class TorchRunner:
    """A function of named tensors, called with arrays; used by one thread at a time."""

    def __init__(self, function: Function, *, mode: str = "eager", device: str = "cpu") -> None:
        """Take a function from named tensors, the batch first, to one tensor."""
        torch = require_torch()
        if mode not in MODES:
            raise BadInput(f"The mode {mode!r} is not known; PyTorch runs {', '.join(MODES)}.")
        check_device(device)
        if mode.endswith("cuda_graph") and not device.startswith("cuda"):
            raise BadInput(f"The mode {mode!r} needs a GPU; on {device!r} use 'eager' or 'compiled'.")
        self._device, self._graphed = torch.device(device), mode.endswith("cuda_graph")
        self._compiled = mode.startswith("compiled")
        self._function = _compile(function) if self._compiled else function
        self._round_up = round_up_to_power if self._compiled else round_up
        self._graphs: dict[int, _Graph] = {}

    def run(self, feed: Feed) -> NDArray[Any]:
        """Return the answers to a batch."""
        import torch

        size = len(next(iter(feed.values())))
        with torch.inference_mode():
            if self._graphed:
                return self._find_graph(feed, size).replay(feed, size)
            whole = _fill_up(feed, self._round_up(size)) if self._compiled else feed
            tensors = {name: torch.from_numpy(array).to(self._device) for name, array in whole.items()}
            return np.asarray(self._function(tensors).float().cpu().numpy()[:size])

    def prepare(self, example: Feed, most: int = 1) -> None:
        """Compile and record every batch size up to `most`, so that no robot waits for it; `example` has one row."""
        if self._compiled or self._graphed:
            for size in sorted({self._round_up(n) for n in range(1, most + 1)}):
                self.run(_fill_up(example, size))

    def _find_graph(self, feed: Feed, size: int) -> "_Graph":
        room = self._round_up(size)
        if room not in self._graphs:
            self._graphs[room] = _Graph(self._function, feed, room, self._device)
        return self._graphs[room]


class _Graph:
    """One recorded batch size."""

    def __init__(self, function: Function, feed: Feed, room: int, device: Any) -> None:
        import torch

        self._stream = torch.cuda.Stream(device)
        self._hosts = {
            name: torch.from_numpy(np.repeat(array[:1], room, axis=0)).pin_memory() for name, array in feed.items()
        }
        self._held = held = {name: host.to(device) for name, host in self._hosts.items()}  # the graph reads them
        with torch.cuda.stream(self._stream):
            for _ in range(WARM_UPS):
                self._answer = torch.empty_like(function(held).float(), device="cpu").pin_memory()
        self._stream.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=self._stream):
            for name, host in self._hosts.items():
                held[name].copy_(host, non_blocking=True)
            self._answer.copy_(function(held).float(), non_blocking=True)

    def replay(self, feed: Feed, size: int) -> NDArray[Any]:
        """Copy in, launch, wait, and return the first `size` answers."""
        import torch

        for name, host in self._hosts.items():
            host.numpy()[:size] = feed[name]
        with torch.cuda.stream(self._stream):
            self._graph.replay()
        self._stream.synchronize()
        return np.array(self._answer[:size].numpy())


def round_up(size: int) -> int:
    """Return the size of the graph for a batch: each up to 8, by twos up to 16, then by eights.

    >>> [round_up(n) for n in (1, 2, 3, 8, 9, 17)]
    [1, 2, 3, 8, 10, 24]
    """
    step = next((step for most, step in SIZE_STEPS if size <= most), LARGE_STEP)
    return step * -(-size // step)


def round_up_to_power(size: int) -> int:
    """Return the size of compiled code for a batch: the next power of two.

    >>> [round_up_to_power(n) for n in (1, 2, 3, 8, 9)]
    [1, 2, 4, 8, 16]
    """
    return 1 << (size - 1).bit_length()


def _compile(function: Function) -> Function:
    """Compile for fixed sizes; versions of one architecture share a limit on sizes, beyond which they run eager."""
    import torch

    torch._dynamo.config.recompile_limit = MOST_COMPILED  # noqa: SLF001 - PyTorch documents it by this name only
    compiled: Function = torch.compile(function, dynamic=False)
    return compiled


def _fill_up(feed: Feed, size: int) -> dict[str, NDArray[Any]]:
    """Repeat the last row until a batch has this size."""
    return {
        name: np.concatenate([array, np.repeat(array[-1:], size - len(array), axis=0)]) for name, array in feed.items()
    }


def choose_dtype(precision: str) -> Any:
    """Return the type of the weights for a precision; `tf32` rounds inside matrix products of float32."""
    import torch

    if precision not in PRECISIONS:
        raise BadInput(f"The precision {precision!r} is not known; PyTorch runs {', '.join(PRECISIONS)}.")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
    return torch.float32 if precision == "tf32" else getattr(torch, precision)


def check_device(device: str) -> None:
    """Refuse a device that PyTorch does not have here."""
    torch = require_torch()
    if device != "cpu" and not device.startswith("cuda"):
        raise BadInput(f"The device {device!r} is not known; PyTorch runs on cpu and cuda.")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise BadInput(f"The device {device!r} is not there: PyTorch {torch.__version__} sees no GPU. Use 'cpu'.")


def require_torch() -> Any:
    """Return PyTorch; where it is missing, state what to install."""
    try:
        import torch
    except ImportError as missing:
        raise MissingExtra("torch", "torch") from missing
    return torch
