"""A Release becomes a policy bundle: the reference learner, its export, and a register for other trainers."""
