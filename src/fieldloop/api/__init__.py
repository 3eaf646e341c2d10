"""The HTTP door: a route per use case, built from the catalogue. `app.build` makes it; importing this costs nothing."""
