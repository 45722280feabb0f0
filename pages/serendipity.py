import streamlit as st

st.title("Serendipity")
