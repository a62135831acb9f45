"""The live service: learn from what a collector holds, as jobs do, and run all of it on one machine."""
