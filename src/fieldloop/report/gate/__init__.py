"""The gate on paper: the sheet by which trials are set up and judged, and the report of a decision."""
