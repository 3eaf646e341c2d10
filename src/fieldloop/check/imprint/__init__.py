"""What is kept of an episode's content for questions about many: a file a kind of imprint."""

from fieldloop.check.imprint import approach, grasp, lag, light, speed, start, view, way

KINDS = (start, approach, grasp, speed, way, light, view, lag)
