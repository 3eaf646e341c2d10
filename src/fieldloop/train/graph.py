"""The learnt weights as one ONNX graph, from raw pictures to action and confidence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.train import scaling, vision
from fieldloop.train.process import Process
from fieldloop.train.reference import Weights
from fieldloop.train.samples import ACTION_NAMES, CAMERA, DEPTH

OPSET = 17
IR_VERSION = 9
"""Both old enough for any runtime of the last years."""


class _Graph:
    """Collects nodes and constants under names of their own."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add_constant(self, value: ArrayLike, kind: Any = np.float32) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(value, dtype=kind), name))
        return name

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = name or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def times(self, value: str, factor: ArrayLike) -> str:
        return self.add("Mul", value, self.add_constant(factor))

    def plus(self, value: str, term: ArrayLike) -> str:
        return self.add("Add", value, self.add_constant(term))

    def total(self, value: str, axes: Sequence[int], *, keep: bool = True) -> str:
        return self.add("ReduceSum", value, self.add_constant(axes, np.int64), keepdims=int(keep))

    def peak(self, value: str) -> str:
        return self.add("ReduceMax", value, axes=[2, 3], keepdims=1)

    def average(self, value: str, side: int) -> str:
        """Average over the square around each pixel; outside the picture everything is 0."""
        kernel, edges = [side, side], [side // 2] * 4
        return self.add("AveragePool", value, kernel_shape=kernel, strides=[1, 1], pads=edges, count_include_pad=1)

    def flat(self, value: str) -> str:
        return self.add("Flatten", value, axis=1)


def build_onnx_model(weights: Weights) -> Any:
    """Return the model: inputs named like their streams, batch first; outputs `action` and `confidence`."""
    from onnx import TensorProto, checker, helper

    graph = _Graph()
    inputs = graph.add("Cast", _add_feature_nodes(graph, weights), to=TensorProto.DOUBLE)  # variances are differences
    rows = graph.add_constant(weights.rows.T, np.float64)
    answers = [_add_process(graph, learnt, weights.rows, rows, inputs) for learnt in weights.processes]
    means, variances = (graph.add("Concat", *part, axis=1) for part in zip(*answers, strict=True))
    _add_action_output(graph, weights, graph.add("Cast", means, to=TensorProto.FLOAT))
    _add_confidence_output(graph, weights, variances)
    eye = weights.vision
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "reference",
            [
                helper.make_tensor_value_info(CAMERA, TensorProto.UINT8, ["N", *eye.picture, 3]),
                helper.make_tensor_value_info(DEPTH, TensorProto.FLOAT, ["N", *eye.depth]),
            ],
            [
                helper.make_tensor_value_info("action", TensorProto.FLOAT, ["N", len(ACTION_NAMES)]),
                helper.make_tensor_value_info("confidence", TensorProto.FLOAT, ["N"]),
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="fieldloop",
    )
    checker.check_model(model, full_check=True)
    return model


def _add_feature_nodes(graph: _Graph, weights: Weights) -> str:
    """`vision.extract_features` and `Scaling.__call__`, step by step; pictures have their colour planes first here."""
    from onnx import TensorProto

    eye, scale = weights.vision, weights.scaling
    pool, field = eye.pool, (eye.depth[0] // vision.GRID, eye.depth[1] // vision.GRID)
    x = graph.add("Transpose", graph.add("Cast", CAMERA, to=TensorProto.FLOAT), perm=[0, 3, 1, 2])
    x = graph.times(graph.add("AveragePool", x, kernel_shape=[pool, pool], strides=[pool, pool]), 1 / 255)
    mean = graph.plus(graph.add("ReduceMean", x, axes=[2, 3], keepdims=1), vision.DARK)
    x = graph.times(graph.add("Div", x, mean), vision.EXPOSED)
    raw = graph.add("Unsqueeze", DEPTH, graph.add_constant([1], np.int64))
    lost = graph.add("IsNaN", raw)
    depth = graph.add("Where", lost, graph.add_constant(vision.FAR_M), raw)
    item = _add_item_features(graph, weights, x, _add_item_mask(graph, weights, x), depth, lost)
    chroma = graph.times(graph.add("Div", x, graph.plus(graph.total(x, [1]), vision.DIM)), vision.CHROMA_GAIN)
    colours = graph.flat(graph.add("AveragePool", chroma, kernel_shape=field, strides=field))
    depths = graph.flat(
        graph.times(graph.add("AveragePool", depth, kernel_shape=field, strides=field), vision.DEPTH_GAIN)
    )
    scene = graph.plus(graph.add("Concat", colours, depths, axis=1), -scale.context_mean)
    scene = graph.add("MatMul", scene, graph.add_constant(scale.context_axes / scale.context_spread))
    item = graph.times(graph.plus(item, -scale.salient_mean), 1 / scale.salient_spread)
    limits = graph.add_constant(-scaling.CLIP), graph.add_constant(scaling.CLIP)
    return graph.add("Clip", graph.add("Concat", item, scene, axis=1), *limits)


def _add_item_mask(graph: _Graph, weights: Weights, picture: str) -> str:
    """Which pixels belong to the item: the strongest spot, and what is as saturated around it."""
    eye = weights.vision
    u, v = graph.add_constant(eye.columns[None, None, None, :]), graph.add_constant(eye.rows[None, None, :, None])
    bright, dark = (graph.add(name, picture, axes=[1], keepdims=1) for name in ("ReduceMax", "ReduceMin"))
    vivid = graph.add("Div", graph.add("Sub", bright, dark), graph.plus(bright, vision.DIM))
    vivid = graph.times(graph.add("Relu", graph.plus(vivid, -eye.threshold)), eye.likely[None, None])
    spots, patches = graph.average(vivid, vision.SPOT), graph.average(vivid, vision.PATCH)
    share = graph.add("Div", spots, graph.plus(graph.peak(spots), vision.EMPTY**2))
    mask = graph.add("Pow", share, graph.add_constant(float(vision.SHARP)))
    at_u, at_v = _add_weighted_centre(graph, mask, u, v)
    for _ in range(vision.LOOKS):
        off_u, off_v = graph.add("Sub", u, at_u), graph.add("Sub", v, at_v)
        squared = graph.add("Add", graph.add("Mul", off_u, off_u), graph.add("Mul", off_v, off_v))
        away = graph.times(squared, 1 / vision.REACH**2)
        window = graph.add("Exp", graph.times(graph.add("Mul", away, away), -0.5))
        own = graph.plus(graph.peak(graph.add("Mul", patches, window)), vision.EMPTY)
        rising = graph.plus(graph.add("Div", vivid, own), -vision.FAINT)
        inside = graph.times(rising, 1 / (vision.CLEAR - vision.FAINT))
        mask = graph.add("Mul", graph.add("Clip", inside, graph.add_constant(0.0), graph.add_constant(1.0)), window)
        at_u, at_v = _add_weighted_centre(graph, mask, u, v)
    return mask


def _add_weighted_centre(graph: _Graph, weight: str, u: str, v: str) -> tuple[str, str]:
    mass = graph.plus(graph.total(weight, [2, 3]), vision.EMPTY)
    sums = (graph.total(graph.add("Mul", weight, place), [2, 3]) for place in (u, v))
    at_u, at_v = (graph.add("Div", total, mass) for total in sums)
    return at_u, at_v


def _add_item_features(
    graph: _Graph, weights: Weights, picture: str, weight: str, depth: str, missing_depth: str
) -> str:
    eye = weights.vision
    mass = graph.plus(graph.total(weight, [2, 3]), vision.EMPTY)

    def add_weighted_mean(value: str) -> str:
        return graph.add("Div", graph.total(graph.add("Mul", weight, value), [2, 3]), mass)

    u, v = graph.add_constant(eye.columns[None, None, None, :]), graph.add_constant(eye.rows[None, None, :, None])
    at_u, at_v = add_weighted_mean(u), add_weighted_mean(v)
    off_u, off_v = graph.add("Sub", u, at_u), graph.add("Sub", v, at_v)
    uu, vv = add_weighted_mean(graph.add("Mul", off_u, off_u)), add_weighted_mean(graph.add("Mul", off_v, off_v))
    uv = add_weighted_mean(graph.add("Mul", off_u, off_v))
    extent = graph.plus(graph.add("Add", uu, vv), vision.FLAT)
    level = graph.add("Sub", uu, vv)
    slant = graph.times(uv, 2.0)
    slender = graph.add("Sqrt", graph.add("Add", graph.add("Mul", level, level), graph.add("Mul", slant, slant)))
    narrow = graph.add("Max", graph.add("Sub", extent, slender), graph.add_constant(vision.FLAT))
    returned = graph.add("Where", missing_depth, graph.add_constant(0.0), weight)
    total = graph.plus(graph.total(returned, [2, 3]), vision.EMPTY)
    distance = graph.add("Div", graph.total(graph.add("Mul", returned, depth), [2, 3]), total)
    colour = add_weighted_mean(picture)
    parts = [
        at_u,
        at_v,
        graph.add("Div", level, extent),
        graph.add("Div", slant, extent),
        graph.add("Sqrt", graph.times(graph.add("Add", extent, slender), 0.5)),
        graph.add("Sqrt", graph.times(narrow, 0.5)),
        graph.add("Log", mass),
        distance,
        graph.add("Div", colour, graph.plus(graph.total(colour, [1]), vision.DIM)),
    ]
    return graph.flat(graph.add("Concat", *parts, axis=1))


def _add_process(graph: _Graph, process: Process, training_rows: Any, rows: str, inputs: str) -> tuple[str, str]:
    """`Process.answer`: mean and variance of one output, each n × 1."""

    def add_float64_constant(value: ArrayLike) -> str:
        return graph.add_constant(value, np.float64)

    def add_row_norm(value: str) -> str:
        return graph.add("ReduceSum", graph.add("Mul", value, value), graph.add_constant([1], np.int64), keepdims=1)

    width, scaled = training_rows.shape[1], training_rows / process.lengths
    line = graph.add(
        "Mul",
        graph.add("Add", graph.add("MatMul", inputs, rows), add_float64_constant(1.0)),
        add_float64_constant(process.line / width),
    )
    near = graph.add("Mul", inputs, add_float64_constant(1 / process.lengths))
    cross = graph.add("MatMul", near, add_float64_constant(-2 * scaled.T))
    apart = graph.add(
        "Add", graph.add("Add", add_row_norm(near), cross), add_float64_constant((scaled**2).sum(axis=1)[None])
    )
    apart = graph.add("Max", apart, add_float64_constant(0.0))
    bump = graph.add(
        "Mul", graph.add("Exp", graph.add("Mul", apart, add_float64_constant(-0.5))), add_float64_constant(process.bump)
    )
    kernel = graph.add("Add", line, bump)
    mean = graph.add("MatMul", kernel, add_float64_constant(process.coefficients[:, None]))
    known_part = graph.add("Mul", graph.add("MatMul", kernel, add_float64_constant(process.inverse)), kernel)
    known_part = graph.add("ReduceSum", known_part, graph.add_constant([1], np.int64), keepdims=1)
    prior = graph.add(
        "Mul",
        graph.add("Add", add_row_norm(inputs), add_float64_constant(1.0)),
        add_float64_constant(process.line / width),
    )
    prior = graph.add("Add", prior, add_float64_constant(process.bump + process.noise))
    return mean, graph.add("Sub", prior, known_part)


def _add_action_output(graph: _Graph, weights: Weights, mean: str) -> None:
    answer = graph.plus(graph.times(mean, weights.target_spread), weights.target_mean)

    def add_column_slice(first: int, last: int) -> str:
        spans = (graph.add_constant([edge], np.int64) for edge in (first, last, 1))
        return graph.add("Slice", answer, *spans)

    sine, cosine = add_column_slice(3, 4), add_column_slice(4, 5)
    # ONNX has no atan2: the half-angle form needs neither quadrants nor a division by zero.
    length = graph.add("Sqrt", graph.add("Add", graph.add("Mul", sine, sine), graph.add("Mul", cosine, cosine)))
    half = graph.add("Atan", graph.add("Div", sine, graph.plus(graph.add("Add", length, cosine), 1e-9)))
    graph.add(
        "Concat",
        add_column_slice(0, 3),
        half,
        add_column_slice(5, 6),
        graph.add("Exp", add_column_slice(6, 7)),
        axis=1,
        name="action",
    )


def _add_confidence_output(graph: _Graph, weights: Weights, variances: str) -> None:
    from onnx import TensorProto

    known = weights.familiar
    scaled = graph.add("Mul", variances, graph.add_constant(1 / known.usual_variance, np.float64))
    strange = graph.add("ReduceMean", scaled, axes=[1], keepdims=0)
    exponent = graph.add_constant(float(np.log(known.level)) / known.usual_strangeness**2, np.float64)
    sure = graph.add("Exp", graph.add("Mul", strange, exponent))
    graph.add("Cast", sure, name="confidence", to=TensorProto.FLOAT)
