"""Make the sample items: real files of many kinds, as the classifier's network reads them.

Run it from the repository root with the console's Python:

    .venv/bin/python model_templates/magika/make_samples.py

The text files lie in ``sources/``. The binary ones are made here with the libraries that write such
files every day; their bytes may differ a little from one library version to the next.
"""

from __future__ import annotations

import gzip
import io
import math
import py_compile
import sqlite3
import struct
import sys
import tarfile
import tempfile
import wave
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

HERE = Path(__file__).parent
SOURCES = HERE / "sources"

PART = 1024  # values from each end of a file
BLOCK = 4096  # bytes read from each end before white space is stripped
PADDING = 256


def features(content: bytes) -> np.ndarray:
    """What the network reads of a file: its first and last bytes, shape ``[2048]``, 0 to 256.

    As the settings of magika's model ``standard_v3_3`` say (``beg_size``, ``end_size``,
    ``block_size``, ``padding_token``): of the first 4,096 bytes, white space before them stripped,
    the first 1,024; of the last 4,096 bytes, white space after them stripped, the last 1,024.
    """
    first = np.full(PART, PADDING, dtype=np.int16)
    last = np.full(PART, PADDING, dtype=np.int16)
    head = content[:BLOCK].lstrip()[:PART]
    tail = content[-BLOCK:].rstrip()[-PART:]
    first[: len(head)] = np.frombuffer(head, dtype=np.uint8)
    last[PART - len(tail) :] = np.frombuffer(tail, dtype=np.uint8)
    return np.concatenate([first, last])


def pictures() -> dict[str, bytes]:
    """One drawing in the formats of pictures."""
    y, x = np.mgrid[0:96, 0:128]
    red = 127 + 120 * np.sin(x / 9 + np.sin(y / 14))
    pixels = np.stack([red, 2 * y, 255 - x], axis=2).clip(0, 255).astype(np.uint8)
    image = Image.fromarray(pixels)
    made = {}
    for name in (
        "waves.png", "waves.jpg", "waves.gif", "waves.bmp", "waves.webp", "waves.tiff", "waves.pdf",
    ):  # fmt: skip
        buffer = io.BytesIO()
        form = {"jpg": "jpeg"}.get(name[6:], name[6:])
        image.save(buffer, format=form)
        made[name] = buffer.getvalue()
    return made


def archives() -> dict[str, bytes]:
    """Some of the sources in the formats of archives."""
    names = ("ring.c", "Makefile", "README.md")
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.write(SOURCES / name, name)
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        for name in names:
            archive.add(SOURCES / name, name)
    return {
        "ring.zip": zipped.getvalue(),
        "ring.tar": tarred.getvalue(),
        "ring.tar.gz": gzip.compress(tarred.getvalue()),
    }


def data(folder: Path) -> dict[str, bytes]:
    """Tables, arrays, sound and programs; files that cannot be made in memory go to ``folder``."""
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        tone = (int(9000 * math.sin(2 * math.pi * 440 * k / 16000)) for k in range(8000))
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in tone))

    table = pa.table({"station": ["harbour", "pier"] * 200, "height_m": np.linspace(3, 5, 400)})
    parquet = io.BytesIO()
    pq.write_table(table, parquet)

    array = io.BytesIO()
    np.save(array, np.linspace(0, 1, 900, dtype=np.float32))

    database = folder / "orders.db"
    connection = sqlite3.connect(database)
    connection.executescript((SOURCES / "schema.sql").read_text())
    connection.close()

    compiled = folder / "tides.pyc"
    py_compile.compile(str(SOURCES / "tides.py"), cfile=str(compiled), dfile="tides.py")

    return {
        "tone.wav": sound.getvalue(),
        "heights.parquet": parquet.getvalue(),
        "ramp.npy": array.getvalue(),
        "orders.db": database.read_bytes(),
        "tides.pyc": compiled.read_bytes(),
        "python": Path(sys.executable).resolve().read_bytes(),
    }


def main() -> None:
    """Write ``samples/*.npz``, one ``item`` per file, named after the file."""
    files = {path.name: path.read_bytes() for path in sorted(SOURCES.iterdir()) if path.is_file()}
    files |= pictures() | archives()
    with tempfile.TemporaryDirectory() as folder:
        files |= data(Path(folder))
    samples = HERE / "samples"
    samples.mkdir(exist_ok=True)
    for name, content in files.items():
        np.savez_compressed(samples / f"{name}.npz", item=features(content))
    print(f"{len(files)} files")


if __name__ == "__main__":
    main()
