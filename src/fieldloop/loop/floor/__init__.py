"""The simulated floor as use cases: logs, production, cases, and the demo."""
