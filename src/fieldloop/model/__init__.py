"""The nouns that walk through the rooms: frozen, free of input and output, importing nothing of ours but errors.

One file a noun. `event` lists everything that can happen, in loop order; `codec` is their written form.
"""
