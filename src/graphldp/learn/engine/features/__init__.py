"""The features that a model is given: codes and columns of users, and graphs in a few numbers."""
