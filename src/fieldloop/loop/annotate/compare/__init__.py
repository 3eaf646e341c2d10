"""How far annotators agree: in a workspace, or on plain files."""
