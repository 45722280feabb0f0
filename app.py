"""MAVR Lab: the server. `make run` serves it, and so does `streamlit run app.py`."""

import streamlit as st
from starlette.middleware import Middleware

from lab.server.errors import say_sorry
from lab.server.head import Head
from lab.server.live import ROUTE
from lab.server.policy import Policy
from lab.server.startup import lifespan

# The script that draws the pages lies in lab/: beside pages/ Streamlit would take each of those
# files for a page of its own.
app = st.App(
    "lab/dashboard.py",
    lifespan=lifespan,
    routes=[ROUTE],
    middleware=[Middleware(Policy), Middleware(Head)],
    on_script_error=say_sorry,
)
