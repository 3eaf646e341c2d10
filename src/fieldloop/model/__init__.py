"""The nouns that all packages share: frozen, without input or output, importing only `errors` from this package.

One file per noun. `event` lists all events in loop order; `codec` defines the serialised form.
"""
