"""Labels by people: taxonomies, saved revisions, tasks and adjudication."""
