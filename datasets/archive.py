"""NumPy archives, measured before they are unpacked.

A small file may claim or unpack to any size. What an array takes is read from its header, a few
hundred bytes, and checked by the caller; only then is it read, in blocks, straight into the type
that it is kept in. Nothing is unpickled.
"""

from __future__ import annotations

import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from datasets.model import DataError
from datasets.tables import Source, brief, open_path, read_bytes

# Each entry of an archive's directory takes more than its 46 bytes in memory: about 600.
MAX_DIRECTORY_BYTES = 100_000
END_OF_DIRECTORY = struct.Struct("<4s4H2LH")
# What numpy.savez and savez_compressed write. Other packers unpack without a bound.
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Headers of plain arrays have 128 bytes; nesting would be a structured type, or an attack.
MAX_HEADER_BYTES = 1_000
HEADER = re.compile(rb"\s*\{[^{}()\[\]\\]*\([\d, ]*\)[^{}()\[\]\\]*\}\s*")
KINDS = "biufcUS"
BLOCK_BYTES = 1 << 22
# What a damaged archive makes zipfile, its decompressor and NumPy's header parser raise.
DAMAGE = (
    ValueError, EOFError, OSError, KeyError, MemoryError, NotImplementedError, RuntimeError,
    TypeError, AttributeError, OverflowError, IndexError, SyntaxError, struct.error, zlib.error,
    zipfile.BadZipFile,
)  # fmt: skip

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Member:
    """An array of an archive that has not been read, only its header."""

    info: zipfile.ZipInfo
    start: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    column_major: bool

    @property
    def size(self) -> int:
        """Number of values."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the array as it is written."""
        return self.size * self.dtype.itemsize


@contextmanager
def opened(source: Source, limit: int) -> Iterator[zipfile.ZipFile]:
    """An archive of at most `limit` bytes; a path is not read into memory as a whole.

    A `DataError` says that it is too large, no archive, or found damaged while it is used.
    """
    try:
        with _stream(source, limit) as stream:
            _check_directory(stream)
            with zipfile.ZipFile(stream) as archive:
                yield archive
    except DataError:
        raise
    except DAMAGE as error:
        raise DataError(
            f"the file is not a readable .npz archive ({brief(error)}); write it "
            "with numpy.savez(file, X=X, y=y), arrays of numbers or text, no Python objects. "
            "A table of text needs the ending .csv"
        ) from error


def members(archive: zipfile.ZipFile, wanted: tuple[str, ...]) -> dict[str, Member]:
    """The wanted arrays that the archive has, by name, with their headers read."""
    found = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    return {key: _member(archive, found[key]) for key in wanted if key in found}


def read(
    archive: zipfile.ZipFile,
    member: Member,
    dtype: npt.DTypeLike | None = None,
    check: Callable[[Array, int], None] | None = None,
) -> Array:
    """An array, read in blocks and kept as `dtype`, or as written where that is not given.

    check : called with every block, flat, and the place of its first value.
    """
    values = np.empty(member.size, dtype=dtype or member.dtype.newbyteorder("="))
    step = max(BLOCK_BYTES // member.dtype.itemsize, 1)
    with archive.open(member.info) as file:
        file.read(member.start)
        for place in range(0, member.size, step):
            block = values[place : place + step]
            raw = file.read(len(block) * member.dtype.itemsize)
            with np.errstate(over="ignore"):  # infinite then, and the check's to refuse
                block[:] = np.frombuffer(raw, member.dtype)
            if check is not None:
                check(block, place)
        file.read(1)  # the checksum is compared at the end
    if member.column_major:
        return values.reshape(member.shape[::-1]).T
    return values.reshape(member.shape)


@contextmanager
def _stream(source: Source, limit: int) -> Iterator[IO[bytes]]:
    if not isinstance(source, str | os.PathLike):
        yield io.BytesIO(read_bytes(source, limit))
        return
    with open_path(source) as file:
        if file.seek(0, os.SEEK_END) > limit:
            raise DataError(f"the file has more than {limit:,} bytes, the limit; keep fewer rows")
        yield file


def _check_directory(stream: IO[bytes]) -> None:
    """Refuse an archive whose list of contents alone would fill the memory."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(size - END_OF_DIRECTORY.size - 65_535 - 20, 0))
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    stream.seek(0)
    if at < 0 or len(tail) - at < END_OF_DIRECTORY.size:
        raise zipfile.BadZipFile("File is not a zip file")
    listed = END_OF_DIRECTORY.unpack_from(tail, at)[5]
    large = tail[max(at - 20, 0) : at].startswith(b"PK\x06\x07")
    if large or listed > MAX_DIRECTORY_BYTES:
        raise DataError("the archive holds too many files; store X and y alone")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    name = info.filename
    if info.compress_type not in PACKED:
        raise ValueError(f"{name} is packed in another way than deflated")
    with archive.open(info) as file:
        head = file.read(12 + MAX_HEADER_BYTES)
    major = head[6] if len(head) > 6 and head.startswith(b"\x93NUMPY") else 0
    if major not in (1, 2):
        raise ValueError(f"{name} is no array of NumPy")
    start = 10 if major == 1 else 12
    length = int.from_bytes(head[8:start], "little")
    header = head[start : start + length]
    if len(header) != length or not HEADER.fullmatch(header):
        raise ValueError(f"the header of {name} describes no plain array")
    parse = (
        np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    )
    shape, column_major, dtype = parse(io.BytesIO(head[8 : start + length]))
    if dtype.kind not in KINDS or not dtype.itemsize:
        raise ValueError(f"{name} holds values of another kind than numbers or text")
    member = Member(info, start + length, shape, dtype, column_major)
    if info.file_size != member.start + member.nbytes:
        raise ValueError(f"{name} is cut short or longer than stated")
    return member
