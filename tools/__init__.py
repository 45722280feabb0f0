"""Helpers for building and testing the repository; the app imports nothing from here."""
