"""The tables and figures of a report, one file each: `mouse.reporting.registry` finds them."""
