#!/usr/bin/env python3
"""Whether two folders hold the same PNG files, but for texts: a submitted picture has none of what it was made from.

    same_pictures.py FOLDER FOLDER [COUNT]
"""

import pathlib
import struct
import sys


def chunks(path):
    """Those of the picture itself."""
    data, at, found = path.read_bytes(), 8, []
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        found.append((kind, data[at + 8:at + 8 + size]))
        at += size + 12
    return [chunk for chunk in found if chunk[0][:1].isupper()]


first, second = ({path.name: chunks(path) for path in pathlib.Path(folder).iterdir()} for folder in sys.argv[1:3])
sys.exit(first != second or (len(sys.argv) > 3 and len(first) != int(sys.argv[3])))
