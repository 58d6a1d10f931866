"""Results for people: tables, the summary of a run, the HTML report."""
