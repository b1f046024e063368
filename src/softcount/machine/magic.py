"""The mark of softcount's own files: how the header of a model or checkpoint begins, behind eight bytes of length.

Here and not in `store`, because the readers of text know it too: they say what such a file is, where it is no text.
"""

MARK = b'{"__metadata__":{"checksum":"'
PLACE = 8


def is_marked(beginning: bytes) -> bool:
    return beginning.startswith(MARK, PLACE)
