"""Several trainings of one architecture as one: who they are, what they draw, and how their epochs run."""
