"""What is kept of an episode's content for questions about many: a file a kind of imprint."""

from fieldloop.check.imprint import approach, grasp, light, path, speed, start, way

KINDS = (path, start, approach, grasp, speed, way, light)
