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

    def add_node(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = name or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def add_product(self, value: str, factor: ArrayLike) -> str:
        return self.add_node("Mul", value, self.add_constant(factor))

    def add_sum(self, value: str, term: ArrayLike) -> str:
        return self.add_node("Add", value, self.add_constant(term))

    def add_total(self, value: str, axes: Sequence[int], *, keep: bool = True) -> str:
        return self.add_node("ReduceSum", value, self.add_constant(axes, np.int64), keepdims=int(keep))

    def add_maximum(self, value: str) -> str:
        return self.add_node("ReduceMax", value, axes=[2, 3], keepdims=1)

    def add_local_average(self, value: str, side: int) -> str:
        """Average over the square around each pixel; outside the picture everything is 0."""
        kernel, edges = [side, side], [side // 2] * 4
        return self.add_node("AveragePool", value, kernel_shape=kernel, strides=[1, 1], pads=edges, count_include_pad=1)

    def add_flattening(self, value: str) -> str:
        return self.add_node("Flatten", value, axis=1)


def build_onnx_model(weights: Weights) -> Any:
    """Return the model: inputs named like their streams, batch first; outputs `action` and `confidence`."""
    from onnx import TensorProto, checker, helper

    graph = _Graph()
    inputs = graph.add_node(
        "Cast", _add_feature_nodes(graph, weights), to=TensorProto.DOUBLE
    )  # variances are differences
    rows = graph.add_constant(weights.rows.T, np.float64)
    answers = [_add_process(graph, learnt, weights.rows, rows, inputs) for learnt in weights.processes]
    means, variances = (graph.add_node("Concat", *part, axis=1) for part in zip(*answers, strict=True))
    _add_action_output(graph, weights, graph.add_node("Cast", means, to=TensorProto.FLOAT))
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
    pool, field = eye.picture_pixels_per_depth_pixel, (eye.depth[0] // vision.GRID, eye.depth[1] // vision.GRID)
    x = graph.add_node("Transpose", graph.add_node("Cast", CAMERA, to=TensorProto.FLOAT), perm=[0, 3, 1, 2])
    x = graph.add_product(graph.add_node("AveragePool", x, kernel_shape=[pool, pool], strides=[pool, pool]), 1 / 255)
    mean = graph.add_sum(graph.add_node("ReduceMean", x, axes=[2, 3], keepdims=1), vision.DARK)
    x = graph.add_product(graph.add_node("Div", x, mean), vision.EXPOSED)
    raw = graph.add_node("Unsqueeze", DEPTH, graph.add_constant([1], np.int64))
    lost = graph.add_node("IsNaN", raw)
    depth = graph.add_node("Where", lost, graph.add_constant(vision.FAR_M), raw)
    item = _add_item_features(graph, weights, x, _add_item_mask(graph, weights, x), depth, lost)
    chroma = graph.add_product(
        graph.add_node("Div", x, graph.add_sum(graph.add_total(x, [1]), vision.DIM)), vision.CHROMA_GAIN
    )
    colours = graph.add_flattening(graph.add_node("AveragePool", chroma, kernel_shape=field, strides=field))
    depths = graph.add_flattening(
        graph.add_product(graph.add_node("AveragePool", depth, kernel_shape=field, strides=field), vision.DEPTH_GAIN)
    )
    scene = graph.add_sum(graph.add_node("Concat", colours, depths, axis=1), -scale.context_mean)
    scene = graph.add_node("MatMul", scene, graph.add_constant(scale.context_axes / scale.context_spread))
    item = graph.add_product(graph.add_sum(item, -scale.salient_mean), 1 / scale.salient_spread)
    limits = graph.add_constant(-scaling.CLIP), graph.add_constant(scaling.CLIP)
    return graph.add_node("Clip", graph.add_node("Concat", item, scene, axis=1), *limits)


def _add_item_mask(graph: _Graph, weights: Weights, picture: str) -> str:
    """Which pixels belong to the item: the strongest spot, and what is as saturated around it."""
    eye = weights.vision
    u, v = graph.add_constant(eye.columns[None, None, None, :]), graph.add_constant(eye.rows[None, None, :, None])
    bright, dark = (graph.add_node(name, picture, axes=[1], keepdims=1) for name in ("ReduceMax", "ReduceMin"))
    vivid = graph.add_node("Div", graph.add_node("Sub", bright, dark), graph.add_sum(bright, vision.DIM))
    vivid = graph.add_product(
        graph.add_node("Relu", graph.add_sum(vivid, -eye.threshold)), eye.item_likelihood[None, None]
    )
    spots, patches = graph.add_local_average(vivid, vision.SPOT), graph.add_local_average(vivid, vision.PATCH)
    share = graph.add_node("Div", spots, graph.add_sum(graph.add_maximum(spots), vision.EMPTY**2))
    mask = graph.add_node("Pow", share, graph.add_constant(float(vision.SHARP)))
    at_u, at_v = _add_weighted_centre(graph, mask, u, v)
    for _ in range(vision.LOOKS):
        off_u, off_v = graph.add_node("Sub", u, at_u), graph.add_node("Sub", v, at_v)
        squared = graph.add_node("Add", graph.add_node("Mul", off_u, off_u), graph.add_node("Mul", off_v, off_v))
        away = graph.add_product(squared, 1 / vision.REACH**2)
        window = graph.add_node("Exp", graph.add_product(graph.add_node("Mul", away, away), -0.5))
        own = graph.add_sum(graph.add_maximum(graph.add_node("Mul", patches, window)), vision.EMPTY)
        rising = graph.add_sum(graph.add_node("Div", vivid, own), -vision.FAINT)
        inside = graph.add_product(rising, 1 / (vision.CLEAR - vision.FAINT))
        mask = graph.add_node(
            "Mul", graph.add_node("Clip", inside, graph.add_constant(0.0), graph.add_constant(1.0)), window
        )
        at_u, at_v = _add_weighted_centre(graph, mask, u, v)
    return mask


def _add_weighted_centre(graph: _Graph, weight: str, u: str, v: str) -> tuple[str, str]:
    mass = graph.add_sum(graph.add_total(weight, [2, 3]), vision.EMPTY)
    sums = (graph.add_total(graph.add_node("Mul", weight, place), [2, 3]) for place in (u, v))
    at_u, at_v = (graph.add_node("Div", total, mass) for total in sums)
    return at_u, at_v


def _add_item_features(
    graph: _Graph, weights: Weights, picture: str, weight: str, depth: str, missing_depth: str
) -> str:
    eye = weights.vision
    mass = graph.add_sum(graph.add_total(weight, [2, 3]), vision.EMPTY)

    def add_weighted_mean(value: str) -> str:
        return graph.add_node("Div", graph.add_total(graph.add_node("Mul", weight, value), [2, 3]), mass)

    u, v = graph.add_constant(eye.columns[None, None, None, :]), graph.add_constant(eye.rows[None, None, :, None])
    at_u, at_v = add_weighted_mean(u), add_weighted_mean(v)
    off_u, off_v = graph.add_node("Sub", u, at_u), graph.add_node("Sub", v, at_v)
    uu, vv = (
        add_weighted_mean(graph.add_node("Mul", off_u, off_u)),
        add_weighted_mean(graph.add_node("Mul", off_v, off_v)),
    )
    uv = add_weighted_mean(graph.add_node("Mul", off_u, off_v))
    extent = graph.add_sum(graph.add_node("Add", uu, vv), vision.FLAT)
    level = graph.add_node("Sub", uu, vv)
    slant = graph.add_product(uv, 2.0)
    slender = graph.add_node(
        "Sqrt", graph.add_node("Add", graph.add_node("Mul", level, level), graph.add_node("Mul", slant, slant))
    )
    narrow = graph.add_node("Max", graph.add_node("Sub", extent, slender), graph.add_constant(vision.FLAT))
    returned = graph.add_node("Where", missing_depth, graph.add_constant(0.0), weight)
    total = graph.add_sum(graph.add_total(returned, [2, 3]), vision.EMPTY)
    distance = graph.add_node("Div", graph.add_total(graph.add_node("Mul", returned, depth), [2, 3]), total)
    colour = add_weighted_mean(picture)
    parts = [
        at_u,
        at_v,
        graph.add_node("Div", level, extent),
        graph.add_node("Div", slant, extent),
        graph.add_node("Sqrt", graph.add_product(graph.add_node("Add", extent, slender), 0.5)),
        graph.add_node("Sqrt", graph.add_product(narrow, 0.5)),
        graph.add_node("Log", mass),
        distance,
        graph.add_node("Div", colour, graph.add_sum(graph.add_total(colour, [1]), vision.DIM)),
    ]
    return graph.add_flattening(graph.add_node("Concat", *parts, axis=1))


def _add_process(graph: _Graph, process: Process, training_rows: Any, rows: str, inputs: str) -> tuple[str, str]:
    """`Process.answer`: mean and variance of one output, each n × 1."""

    def add_float64_constant(value: ArrayLike) -> str:
        return graph.add_constant(value, np.float64)

    def add_row_norm(value: str) -> str:
        return graph.add_node(
            "ReduceSum", graph.add_node("Mul", value, value), graph.add_constant([1], np.int64), keepdims=1
        )

    width, scaled = training_rows.shape[1], training_rows / process.lengths
    line = graph.add_node(
        "Mul",
        graph.add_node("Add", graph.add_node("MatMul", inputs, rows), add_float64_constant(1.0)),
        add_float64_constant(process.line / width),
    )
    near = graph.add_node("Mul", inputs, add_float64_constant(1 / process.lengths))
    cross = graph.add_node("MatMul", near, add_float64_constant(-2 * scaled.T))
    apart = graph.add_node(
        "Add", graph.add_node("Add", add_row_norm(near), cross), add_float64_constant((scaled**2).sum(axis=1)[None])
    )
    apart = graph.add_node("Max", apart, add_float64_constant(0.0))
    bump = graph.add_node(
        "Mul",
        graph.add_node("Exp", graph.add_node("Mul", apart, add_float64_constant(-0.5))),
        add_float64_constant(process.bump),
    )
    kernel = graph.add_node("Add", line, bump)
    mean = graph.add_node("MatMul", kernel, add_float64_constant(process.coefficients[:, None]))
    known_part = graph.add_node("Mul", graph.add_node("MatMul", kernel, add_float64_constant(process.inverse)), kernel)
    known_part = graph.add_node("ReduceSum", known_part, graph.add_constant([1], np.int64), keepdims=1)
    prior = graph.add_node(
        "Mul",
        graph.add_node("Add", add_row_norm(inputs), add_float64_constant(1.0)),
        add_float64_constant(process.line / width),
    )
    prior = graph.add_node("Add", prior, add_float64_constant(process.bump + process.noise))
    return mean, graph.add_node("Sub", prior, known_part)


def _add_action_output(graph: _Graph, weights: Weights, mean: str) -> None:
    answer = graph.add_sum(graph.add_product(mean, weights.target_spread), weights.target_mean)

    def add_column_slice(first: int, last: int) -> str:
        spans = (graph.add_constant([edge], np.int64) for edge in (first, last, 1))
        return graph.add_node("Slice", answer, *spans)

    sine, cosine = add_column_slice(3, 4), add_column_slice(4, 5)
    # ONNX has no atan2: the half-angle form needs neither quadrants nor a division by zero.
    length = graph.add_node(
        "Sqrt", graph.add_node("Add", graph.add_node("Mul", sine, sine), graph.add_node("Mul", cosine, cosine))
    )
    half = graph.add_node(
        "Atan", graph.add_node("Div", sine, graph.add_sum(graph.add_node("Add", length, cosine), 1e-9))
    )
    graph.add_node(
        "Concat",
        add_column_slice(0, 3),
        half,
        add_column_slice(5, 6),
        graph.add_node("Exp", add_column_slice(6, 7)),
        axis=1,
        name="action",
    )


def _add_confidence_output(graph: _Graph, weights: Weights, variances: str) -> None:
    from onnx import TensorProto

    known = weights.familiar
    scaled = graph.add_node("Mul", variances, graph.add_constant(1 / known.usual_variance, np.float64))
    strange = graph.add_node("ReduceMean", scaled, axes=[1], keepdims=0)
    exponent = graph.add_constant(float(np.log(known.level)) / known.usual_strangeness**2, np.float64)
    sure = graph.add_node("Exp", graph.add_node("Mul", strange, exponent))
    graph.add_node("Cast", sure, name="confidence", to=TensorProto.FLOAT)
