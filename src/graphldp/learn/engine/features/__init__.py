"""What a model is given: codes and columns of users, weights of entries, graphs in a few numbers."""
