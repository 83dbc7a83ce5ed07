"""Analysis: what moves were worth, what could be known, and where points were lost."""
