"""The collector: a service that takes one noisy report from each user, once, and keeps it.

It knows reports and their bytes, never raw graphs and never a sampler. What joins it with learning lives in the
command line.
"""
