"""Guide: how to read the pictures, the notation, what differs from the paper."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

import lab

TEXTS = Path(lab.__file__).parent / "guide"
TABS = {
    "How to read it": "read.md",
    "Notation": "notation.md",
    "What differs from the paper": "differs.md",
    "Tour, glossary, keys, citing": "help.md",
}

st.title("Guide", anchor=False)
with st.container(key="guide"):
    for tab, name in zip(st.tabs(list(TABS)), TABS.values(), strict=True):
        tab.markdown((TEXTS / name).read_text(encoding="utf-8"))
