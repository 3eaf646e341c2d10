"""One world, one arm, one renderer to try everything on: recordings, policies, outcomes that are really computed.

`floor` is the door: it demonstrates, lets policies try, and looks at markers. Behind it, in the order of a pick:
`sites`, `lighting`, `catalogue` and `scene` say what is there; `operators` or a policy ask for a grasp; `controller`
and `arm` drive it; `contact`, `grip`, `carry` and `physics` say what came of it; `signals`, `camera`, `raster` and
`picture` say what sensors made of that; `clocks`, `recording` and `log` write it down.
`timing_truth` uses the same renderer for recordings whose camera-to-joint lag is known exactly.
"""
