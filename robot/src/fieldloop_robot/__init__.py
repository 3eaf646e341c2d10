"""What fieldloop needs on the robot."""
