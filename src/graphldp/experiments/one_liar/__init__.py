"""What can be had against one liar in each graph: classifiers that expect her, under every lie that she can tell."""
