"""Several trainings of one architecture as one computation.

Parameters, Adam's moments and batch norm's running statistics are flat [S, P] tensors, one line for each training, and
a step works on one batch of each: its own graphs, its own learning rate, its own dropout. Nothing is read back from
the device before the end of an epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from graphldp.learn.engine import gin
from graphldp.learn.engine.gin import ModelSpec
from graphldp.learn.engine.one_training import Training
from graphldp.learn.engine.packed.batches import PackedGraphs
from graphldp.learn.engine.packed.layout import send
from graphldp.learn.engine.packed.store import GraphStore, join
from graphldp.learn.engine.rows import passes_for
from graphldp.learn.engine.stacking import plans
from graphldp.learn.engine.stacking.replay import Replay, Steps

SMALL = 1e-6  # a deviation that is rounding, of a number that all graphs share


class Stack:
    """Trainings that run beside each other, all of one architecture; those in it at a time agree on ``half``."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self.members: list[Training] = []
        self._slots = gin.parameters(spec)
        self._norms = gin.statistics(spec)
        self._state: dict[str, Tensor] = {}
        self._stores: list[GraphStore] = []
        self._joined: dict[bool, GraphStore] = {}
        self._offsets: dict[int, int] = {}
        self._learning, self._judging = Replay(self._learn), Replay(self._judge)
        self._lessons: Steps | None = None
        self._checks: Steps | None = None

    def admit(self, members: Sequence[Training]) -> None:
        """Take trainings in, at their starting weights."""
        if not members:
            return
        packed = members[0].train_set
        weights, norms = (
            torch.from_numpy(np.stack([gin.initial(slots, m.streams["weights"]) for m in members])).to(
                packed.device, packed.dtype
            )
            for slots in (self._slots, self._norms)
        )
        if self.spec.summaries:
            self._scale(gin.views(self._norms, norms), members)
        if self.spec.features == "columns":
            self._scale_columns(gin.views(self._norms, norms), members)
        new = {"weights": weights, "norms": norms, "best_weights": weights, "best_norms": norms}
        new |= {"first": torch.zeros_like(weights), "second": torch.zeros_like(weights)}
        self._state = {
            name: torch.cat((self._state[name], value)) if self.members else value.clone()
            for name, value in new.items()
        }
        self.members += members
        self._view()
        self._join()

    @staticmethod
    def _scale(norms: dict[str, Tensor], members: Sequence[Training]) -> None:
        """Mean and deviation of what the head sees, over each training's own graphs."""
        for s, member in enumerate(members):
            seen = member.train_set.store.summaries[torch.from_numpy(member.train_set.ids).to(member.train_set.device)]
            deviation, mean = torch.std_mean(seen, dim=0, correction=0)
            norms["graph.mean"][s] = mean
            norms["graph.deviation"][s] = torch.where(deviation > SMALL, deviation, 1.0)

    @staticmethod
    def _scale_columns(norms: dict[str, Tensor], members: Sequence[Training]) -> None:
        """Mean and deviation of each column, over the users of each training's own graphs."""
        for s, member in enumerate(members):
            store = member.train_set.store
            own = np.isin(np.arange(len(store.sizes)), member.train_set.ids)
            rows = torch.from_numpy(np.repeat(own, np.diff(store.rounds[0].row_ptr)))
            columns = store.columns[:-1].cpu()[rows].double()
            users = store.rounds[0].counts[:-1].cpu()[rows].double()
            share = users / users.sum().clamp(min=1)
            mean = share @ columns
            deviation = (share @ (columns - mean).square()).sqrt()
            norms["columns.mean"][s] = mean
            norms["columns.deviation"][s] = torch.where(deviation > SMALL * mean.abs(), deviation, 1.0)

    def keep_best(self, improved: Sequence[bool]) -> None:
        """Remember the weights of the trainings whose validation loss is the lowest so far."""
        mask = torch.tensor(improved, device=self._state["weights"].device)[:, None]
        for name in ("weights", "norms"):
            self._state[f"best_{name}"] = torch.where(mask, self._state[name], self._state[f"best_{name}"])

    def dismiss(self) -> list[Training]:
        """Let those trainings go that are over, each with its best weights."""
        over = np.array([member.over for member in self.members])
        leaving = np.flatnonzero(over)
        if not len(leaving):
            return []
        rows = torch.from_numpy(leaving).to(self._state["weights"].device)
        best = {
            name: value
            for slots, flat in ((self._slots, "best_weights"), (self._norms, "best_norms"))
            for name, value in gin.views(slots, self._state[flat].index_select(0, rows).cpu()).items()
        }
        gone = [self.members[i] for i in leaving]
        for place, member in enumerate(gone):
            member.state = {name: value[place].clone() for name, value in best.items()}
        staying = np.flatnonzero(~over)
        rows = torch.from_numpy(staying).to(self._state["weights"].device)
        self._state = {name: value.index_select(0, rows) for name, value in self._state.items()}
        self.members = [self.members[i] for i in staying]
        self._view()
        return gone

    def epoch(self) -> Tensor:
        """One epoch of every training: [S, 3], training loss, validation loss and accuracy, on the CPU."""
        self._checks = self._checks or self._plan_checks()
        train_loss, _ = self._work(self._learning, self._lessons or self._plan_lessons())
        val_loss, val_accuracy = self._work(self._judging, self._checks)
        found = torch.stack((train_loss, val_loss, val_accuracy), dim=1)
        for member in self.members:
            member.end_epoch()
        # a GPU is still at work on all this; meanwhile the host makes what the next epoch reads, unless somebody leaves
        stay = all(member.epochs < member.options.max_epochs for member in self.members)
        self._lessons = self._plan_lessons() if stay else None
        return found.cpu()

    def _work(self, replay: Replay, steps: Steps) -> Tensor:
        """Losses and right answers of every training, a graph: [2, S]."""
        self._losses.zero_()
        replay.run(steps)
        return self._losses / steps.beside[1].sum((0, 2))

    def _view(self) -> None:
        """After a change of members: parameters as views of the flat tensor, and room for losses."""
        self._params = {
            name: view.requires_grad_() for name, view in gin.views(self._slots, self._state["weights"]).items()
        }
        self._running = gin.views(self._norms, self._state["norms"])
        work = self.members[0].work if self.members else 0.0
        self._passes = passes_for(self._state["weights"].device, len(self.members), work)
        flat = [] if self._passes is None else [self._state[name][0].numpy() for name in ("weights", "norms")]
        self._network = None if self._passes is None else self._passes.Network(self.spec, *flat)
        self._losses = self._state["weights"].new_zeros(2, len(self.members))
        self._learning.forget()
        self._judging.forget()
        self._lessons = self._checks = None

    def _join(self) -> None:
        """After an arrival: the graphs of all in one store, dense ones in one of their own."""
        sets = [each for member in self.members for each in (member.train_set, member.validation)]
        distinct = {id(each.store): each.store for each in sets}
        if [id(store) for store in self._stores] == list(distinct):
            return
        self._stores = list(distinct.values())
        for dense in (False, True):
            stores = [store for store in self._stores if store.dense is dense]
            if stores:
                alone = len(stores) == 1
                self._joined[dense] = stores[0] if alone else join(stores, self._state["weights"].device)
            starts = np.cumsum([0, *(len(store.sizes) for store in stores)]).tolist()
            self._offsets |= {id(store): start for store, start in zip(stores, starts, strict=False)}

    def _plan_lessons(self) -> Steps:
        """Make the tables that the next epoch of every training reads."""
        sets = [member.train_set for member in self.members]
        sizes = [int(member.options.batch_size) for member in self.members]
        ids, *beside = self._batches(sets, [member.coming.order for member in self.members], sizes)
        weights = self._state["weights"]
        beside += plans.dropout(self.members, ids.shape, weights), plans.adam(self.members, len(ids), weights)
        return self._learning.prepare(
            self._store(sets), ids, self.spec.layers, self._kept, *beside, passes=self._passes
        )

    def _plan_checks(self) -> Steps:
        """Make the tables that are read when the epoch is judged; always the same, as long as the members are."""
        sets = [member.validation for member in self.members]
        ids, *beside = self._batches(sets, [np.arange(len(each)) for each in sets], [256] * len(sets))
        return self._judging.prepare(self._store(sets), ids, self.spec.layers, self._kept, *beside, passes=self._passes)

    @property
    def _kept(self) -> torch.dtype:
        return torch.bfloat16 if self.members[0].options.half else torch.float32

    def _learn(self, batch: Any, targets: Tensor, weight: Tensor, kept: Tensor, adam: Tensor) -> None:
        """One step of every training."""
        if self._network is not None:
            moments = self._state["first"][0].numpy(), self._state["second"][0].numpy()
            given = (each[0].numpy() for each in (targets, weight, kept))
            self._losses[0] += self._network.learn(batch, *given, moments, adam.numpy().ravel())
            return
        scores = gin.scores(self.spec, self._params, self._running, batch, kept=kept, training=True)
        losses = cross_entropy(scores.flatten(0, 1), targets.flatten(), reduction="none").view_as(weight) * weight
        loss = (losses.sum(1) / weight.sum(1).clamp(min=1)).sum()
        grads = torch.autograd.grad(loss, list(self._params.values()), materialize_grads=True)
        self._adam(torch.cat([grad.flatten(1) for grad in grads], dim=1), adam)
        self._losses[0] += losses.detach().sum(1)

    @torch.no_grad()
    def _judge(self, batch: Any, targets: Tensor, weight: Tensor) -> None:
        """Loss and accuracy of every training on one batch."""
        if self._network is None:
            scores = gin.scores(self.spec, self._params, self._running, batch)
        else:
            scores = torch.from_numpy(self._network.scores(batch))[None]
        losses = cross_entropy(scores.flatten(0, 1), targets.flatten(), reduction="none").view_as(weight)
        self._losses[0] += (losses * weight).sum(1)
        self._losses[1] += ((scores.argmax(2) == targets) * weight).sum(1)

    def _store(self, sets: Sequence[PackedGraphs]) -> GraphStore:
        """The store where some members' graphs are together."""
        return self._joined[sets[0].store.dense]

    def _batches(
        self, sets: Sequence[PackedGraphs], orders: Sequence[NDArray[np.int64]], sizes: Sequence[int]
    ) -> tuple[NDArray[np.int64], Tensor, Tensor]:
        """[steps, S, B]: graphs of the joined store, their classes, and 1 for each graph, 0 where there is none."""
        ids = [each.ids[order] + self._offsets[id(each.store)] for each, order in zip(sets, orders, strict=True)]
        classes = [np.asarray(each.classes)[order] for each, order in zip(sets, orders, strict=True)]
        past = len(self._store(sets).sizes)
        graphs, targets = plans.in_batches(ids, sizes, past), plans.in_batches(classes, sizes, 0)
        device = sets[0].device
        return graphs, send(targets, device, torch.int64), send(graphs < past, device, sets[0].dtype)

    @torch.no_grad()
    def _adam(self, grad: Tensor, plan: Tensor) -> None:
        """One step of Adam; a training without a batch in this step has rates and step size 0, and stays as it is."""
        first_rate, second_rate, size, correction = plan
        first, second = self._state["first"], self._state["second"]
        first.lerp_(grad, first_rate)
        second.lerp_(grad * grad, second_rate)
        denominator = (second.sqrt() * correction).add_(plans.EPS)
        self._state["weights"].sub_(size * first / denominator)
