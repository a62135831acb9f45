"""Pages for operators, and one that lets anyone play with ε. Rendered here, without anything from elsewhere."""
