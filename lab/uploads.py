"""Uploaded files: one uploader for every page, the files of one visitor."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from typing import Any

import streamlit as st

import datasets
from datasets import DataError, Dataset
from lab.cache import hold
from lab.data import FILE
from lab.jobs import shared
from lab.page import Page
from lab.server.visitor import SHELF, visitor
from lab.text import plain

MAX_UPLOADS = 4
# Bytes that are read within a blink.
MAX_READ_HERE = 500_000
_READING = threading.BoundedSemaphore(2)


def uploads() -> dict[str, Dataset]:
    """Files of this visitor by their name in a view, the newest last."""
    if "uploads" not in st.session_state:
        # The page was loaded again, or in another tab: the same browser has its files.
        st.session_state["uploads"] = SHELF.files(visitor())
    store: dict[str, Dataset] = st.session_state["uploads"]
    return store


def add_upload(content: bytes, filename: str) -> str:
    """Read a file and remember it; its name in a view. Raises DataError."""
    name = FILE + hashlib.sha256(content).hexdigest()[:16]
    store = uploads()
    if name not in store:
        file = read_file(content, filename)
        while len(store) >= MAX_UPLOADS:
            del store[next(iter(store))]
        try:
            hold(file)
        except MemoryError as error:
            raise DataError(f"{filename}: {error}") from None
        store[name] = file
        SHELF.put(visitor(), store)
    return name


def read_file(content: bytes, filename: str) -> Dataset:
    """The data set in a file. A large one is read in a process of its own, two at a time.

    Reading takes the interpreter for seconds, during which nobody else would be answered.
    """
    if len(content) <= MAX_READ_HERE:
        return _read((content, filename))[0]
    with _READING:
        try:
            (found,) = shared()[0].submit_alone(_read, (content, filename)).result()
        except BrokenExecutor:
            raise DataError(
                f"{filename}: the process that read it was ended, probably for want of memory; "
                "try a smaller file"
            ) from None
    return replace(found)  # checked again, and its arrays read-only again


def _read(file: tuple[bytes, str]) -> list[Dataset]:
    content, filename = file
    read = datasets.from_npz if filename.lower().endswith(".npz") else datasets.from_csv
    return [read(content, name=filename)]


def uploader(page: Page[Any], label: str, help: str, opened: Callable[[str], None]) -> None:
    """The uploader of a page; `opened` is told the name of a new file. A fault is one sentence."""
    key, seen, problem = page.key("file"), page.key("file_seen"), page.key("file_problem")
    file = st.file_uploader(label, type=["csv", "tsv", "txt", "npz"], key=key, help=help)
    if file is not None and st.session_state.get(seen) != file.file_id:
        st.session_state[seen] = file.file_id
        st.session_state.pop(problem, None)
        try:
            with st.spinner(f"Reading {plain(file.name)} …", show_time=True):
                name = add_upload(file.getvalue(), file.name)
            opened(name)
        except DataError as error:
            said = str(error).rstrip(".")
            st.session_state[problem] = f"{said[0].upper()}{said[1:]}."
        else:
            st.rerun()
    if file is not None and (sentence := st.session_state.get(problem)):
        st.error(plain(sentence), icon=":material/error:")
