"""graphldp inside scikit-learn: cross-validation, grid search and pipelines over sets of graphs.

Run: python examples/scikit_learn.py
"""

from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

import graphldp as gl
from graphldp.learn.tables.controls import DegreeControl, SizeControl

graphs = gl.synthetic.threads(num_graphs=150, seed=0)
reports = gl.DPRR(epsilon=2.0).randomize(graphs, rng=0)
folds = StratifiedKFold(3, shuffle=True, random_state=0)

# A network that spends ε on edges has to beat what n and noisy degrees say on their own.
gin = gl.GINClassifier(layers=3, hidden=16, max_epochs=40)
for name, clf in {"GIN": gin, "degrees only": DegreeControl(), "n only": SizeControl()}.items():
    scores = cross_val_score(clf, reports, reports.labels, cv=folds)
    print(f"{name:>12}: accuracy {scores.mean():.3f} over {len(scores)} folds")

search = GridSearchCV(gin, {"hidden": [8, 16]}, cv=folds)
search.fit(reports, reports.labels)
print(f"best hidden units: {search.best_params_['hidden']}")
