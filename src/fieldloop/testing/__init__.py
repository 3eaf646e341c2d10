"""For tests, ours and those of plug-in authors: synthetic episodes, injuries, and what each seam must keep.

`synthetic` makes healthy recordings, `injuries` hurts them one check at a time; `reader.check_reader`,
`writer.check_writer` and `store` hold an implementation to its promises.
"""
