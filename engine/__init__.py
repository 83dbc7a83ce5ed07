"""The games as people know them: cards, rules, positions, records, matches."""
