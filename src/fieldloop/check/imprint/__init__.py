"""Imprints: small arrays kept of each episode for checks of many episodes, one file per kind."""

from fieldloop.check.imprint import approach, grasp, lag, light, speed, start, view, way

KINDS = (start, approach, grasp, speed, way, light, view, lag)
