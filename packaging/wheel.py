"""wheel.py PROGRAM VERSION PLATFORM OUT: packs a program as a Python wheel (PEP 427), without any Python code in it.

The same program gives the same bytes: entries are sorted and carry no time.
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

program, version, platform, out = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
name = "briefing_cli"
info = f"{name}-{version}.dist-info"
metadata = f"""Metadata-Version: 2.1
Name: briefing-cli
Version: {version}
Summary: Gives AI coding agents the right project context, at the right moment, and proves that it arrived
License: MIT OR Apache-2.0
Requires-Python: >=3.7
"""
tags = "".join(f"Tag: py3-none-{tag}\n" for tag in platform.split("."))
files = {
    f"{name}-{version}.data/scripts/{program.name}": program.read_bytes(),
    f"{info}/METADATA": metadata.encode(),
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: briefing\nRoot-Is-Purelib: false\n{tags}".encode(),
}
digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
record = "".join(f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items())
files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

with zipfile.ZipFile(out / f"{name}-{version}-py3-none-{platform}.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
    for path, data in files.items():
        entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        wheel.writestr(entry, data)
