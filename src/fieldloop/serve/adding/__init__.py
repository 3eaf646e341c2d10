"""Make a bundle of a policy that another maker wrote: a file, a folder of LeRobot, or a server's address."""
