"""A sentence instead of a traceback; the traceback goes to the server's log."""

from __future__ import annotations

import logging

import streamlit as st

SENTENCE = (
    "Something went wrong here, and it is our fault. What you did is kept in the address: reload "
    "the page, or undo the last step."
)


def say_sorry(error: Exception) -> bool:
    """Called by Streamlit with what a script did not catch."""
    logging.getLogger("mavr.lab").error("A page failed", exc_info=error)
    st.error(SENTENCE, icon=":material/error:")
    return True
