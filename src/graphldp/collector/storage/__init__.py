"""What the collector keeps, and how: tables, engines, one transaction for many reports."""
