"""One arm in one rendered world.

`floor` is the entrance: it demonstrates, lets policies try, and looks at markers. In the order of a pick: `sites`,
`lighting`, `catalogue` and `scene` describe what is there; `operators` or a policy request a grasp; `controller` and
`arm` drive it; `contact`, `grip`, `carry` and `physics` compute the outcome; `signals`, `camera`, `raster` and
`picture` compute what sensors measure; `clocks` and `recording` write it down.
"""
