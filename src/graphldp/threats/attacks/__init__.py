"""Users who lie: filters from reports to reports."""
