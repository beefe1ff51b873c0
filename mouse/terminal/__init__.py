"""What `python -m mouse.run` shows: progress, dry run, results, leaderboard of a sweep."""
