"""The paper's experiments: what is computed (figures, plan), how (compute), where (engines), what came out (results)."""
