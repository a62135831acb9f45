"""The storage of the collector: tables, engines, one transaction for many reports."""
