"""The paper's experiments: what is computed (plan), how (compute), where (engines) and what came out (results)."""
