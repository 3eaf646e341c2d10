"""Frames and transforms: where things are, and how one frame sees another.

A transform is a 4×4 matrix named `a_from_b`: it takes points of frame b to frame a, so that names cancel when they
are composed (`base_from_tool @ tool_from_camera` is `base_from_camera`). Metres, radians, quaternions xyzw.
"""
