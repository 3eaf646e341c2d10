"""For tests, ours and those of plug-in authors: synthetic episodes, injuries, logs, and what each seam must keep.

`synthetic` makes healthy recordings, `injuries` hurts them one check at a time, `logs` writes them as MCAP;
`reader.check_reader` and `store` hold an implementation to its promises.
"""
