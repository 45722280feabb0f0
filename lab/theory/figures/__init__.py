"""Figures of the Theory page: plain dictionaries, as Plotly reads them. No Streamlit here."""
