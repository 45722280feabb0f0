"""Lessons: short stories in steps beside a board that notices what is done."""
