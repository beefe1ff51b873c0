"""Labels of new items by people: sheets out, votes, adjudication, reliability, data set."""
