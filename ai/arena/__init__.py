"""Bot tournaments: pairings, play, log, statistics, and a checker for any engine."""
