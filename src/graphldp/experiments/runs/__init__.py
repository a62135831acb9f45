"""What a user starts: a figure, a comparison, a training, an evaluation, the demo. Each computes and keeps its rows."""
