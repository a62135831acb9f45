from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.values import some, wrong

import graphldp as gl
from graphldp.errors import DataError, GraphLDPError, ParameterError
from graphldp.mechanisms import DPRR, RR, NonPrivFull
from graphldp.neighbour_lists.labels import NO_LABEL

DRAWN = "drawn before"


def some_graphs() -> gl.GraphSet:
    """Seven graphs, two of them equal stars, one empty, one without edges."""
    sizes = [6, 6, 4, 0, 3, 8, 5]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    edges = [(starts[g], starts[g] + i) for g in (0, 1, 5) for i in range(1, sizes[g])]
    edges += [(starts[g] + i, starts[g] + i + 1) for g in (2, 6) for i in range(sizes[g] - 1)]
    source, target = zip(*edges, strict=True)
    return gl.GraphSet.from_edges(source, target, sizes, [0, 0, 1, 1, 0, 0, 1], name="some")


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """The graphs as TU files, with edge and node attributes, where TUDataset looks for them; it drops empty graphs."""
    graphs = some_graphs()[[0, 1, 2, 4, 5, 6]]
    folder = tmp_path / "SOME" / "raw"
    folder.mkdir(parents=True)
    first = np.repeat(graphs.graph_ptr[:-1], graphs.sizes)
    owner = np.repeat(np.arange(graphs.num_users), graphs.degrees)
    pairs = np.stack((owner, graphs.indices + first[owner]), axis=1) + 1
    np.savetxt(folder / "SOME_A.txt", pairs, fmt="%d", delimiter=", ")
    np.savetxt(folder / "SOME_graph_indicator.txt", graphs.graph_of_user + 1, fmt="%d")
    np.savetxt(folder / "SOME_graph_labels.txt", some(graphs.labels), fmt="%d")
    np.savetxt(folder / "SOME_edge_labels.txt", pairs.sum(axis=1) % 2, fmt="%d")
    np.savetxt(folder / "SOME_node_labels.txt", graphs.local_users % 3, fmt="%d")
    return tmp_path


def private(seed: int = 0, epsilon: float = 2.0, ignore: tuple[str, ...] = ()) -> gl.pyg.Randomize:
    return gl.pyg.Randomize(DPRR(epsilon=epsilon, n_max=40), seed=seed, ignore=ignore)


def test_round_trip() -> None:
    graphs = some_graphs()
    back = gl.GraphSet.from_pyg(graphs.to_pyg())
    for name in ("indptr", "indices", "graph_ptr", "labels"):
        np.testing.assert_array_equal(getattr(back, name), getattr(graphs, name))


def test_directed_round_trip_and_the_way_messages_flow() -> None:
    graphs = gl.GraphSet.from_edges([0, 0, 3], [1, 2, 4], [3, 2], directed=True)
    data = graphs.to_pyg()
    # user 0 lists 1 and 2, so she aggregates over them: edges 1 → 0 and 2 → 0
    assert some(data[0].edge_index).tolist() == [[1, 2], [0, 0]]
    assert some(data[1].edge_index).tolist() == [[1], [0]]
    back = gl.GraphSet.from_pyg(data, directed=True)
    np.testing.assert_array_equal(back.indices, graphs.indices)
    np.testing.assert_array_equal(back.indptr, graphs.indptr)


def test_reports_carry_their_noisy_degree() -> None:
    reports = DPRR(epsilon=5.0).randomize(some_graphs(), rng=1)
    data = gl.pyg.to_data(reports)
    noisy = torch.cat([each.noisy_degree for each in data]).numpy()
    np.testing.assert_array_equal(noisy, some(reports.noisy_degree).astype(np.float32))
    assert sum(each.num_edges for each in data) == reports.num_entries
    assert [int(each.y) for each in data] == some(reports.labels).tolist()


def test_reports_carry_their_friends_by_group() -> None:
    reports = gl.FriendCounts(1.0).randomize(some_graphs().with_groups(np.arange(32) % 3), rng=3)
    made = torch.cat([data.friend_counts for data in reports.to_pyg()])
    assert np.array_equal(made.numpy(), some(reports.friend_counts))


def test_reports_say_who_is_missing() -> None:
    lists = np.array([0, 1, 1, 2]), np.array([1, 0]), np.array([0, 3])
    missing = np.array([False, True, False])
    reports = gl.Reports(*lists, budget=gl.Budget(0.5, 0.5), missing=missing)
    data = reports.to_pyg()[0]
    assert data.missing.tolist() == missing.tolist()
    assert some(data.edge_index).tolist() == [[1, 0], [0, 2]]
    assert "missing" not in reports.induced().to_pyg()[0]


def test_a_graph_without_a_label_has_no_y() -> None:
    data = some_graphs()[:2].with_labels([NO_LABEL, 1]).to_pyg()
    assert "y" not in data[0]
    assert int(data[1].y) == 1


def test_features_are_never_dropped_in_silence() -> None:
    from torch_geometric.data import Data

    edge = torch.tensor([[0, 1], [1, 0]])
    data = Data(edge_index=edge, x=torch.ones(2, 3), edge_attr=torch.ones(2), y=torch.tensor([1]))
    with pytest.raises(DataError, match=r"also hold edge_attr: name it in ignore .* drop_features=True"):
        gl.GraphSet.from_pyg([Data(edge_index=edge, num_nodes=2, y=torch.tensor([0])), data])
    dropped = gl.GraphSet.from_pyg([data], drop_features=True)
    assert dropped.indices.tolist() == [1, 0]
    assert dropped.attributes is None
    with pytest.raises(DataError, match="noisy_degree"):  # reports are no raw graphs
        gl.GraphSet.from_pyg(DPRR(epsilon=5.0).randomize(some_graphs(), rng=0).to_pyg())
    with pytest.raises(ParameterError, match=r"'data' parameter of GraphSet.from_pyg .* Got Data instead"):
        gl.GraphSet.from_pyg(wrong(data))


def test_labels_must_agree() -> None:
    from torch_geometric.data import Data

    edge = torch.tensor([[0, 1], [1, 0]])
    plain, labelled = Data(edge_index=edge, num_nodes=2), Data(edge_index=edge, num_nodes=2, y=torch.tensor([1.0]))
    assert gl.pyg.edges_of([plain])["labels"] is None
    assert gl.pyg.edges_of([labelled])["labels"].tolist() == [1]
    assert gl.pyg.edges_of([])["sizes"] == []
    for bad in ([plain, labelled], [Data(edge_index=edge, num_nodes=2, y=torch.tensor([0.5]))]):
        with pytest.raises(DataError):
            gl.pyg.edges_of(bad)
    with pytest.raises(DataError, match="edge_index"):
        gl.pyg.edges_of([Data(num_nodes=2)])
    with pytest.raises(DataError, match="nodes 0 to 1"):
        gl.pyg.edges_of([Data(edge_index=torch.tensor([[0], [7]]), num_nodes=2)])


def test_pre_transform_of_a_tu_dataset(raw: Path) -> None:
    from torch_geometric.datasets import TUDataset
    from torch_geometric.loader import DataLoader

    plain = TUDataset(str(raw), "SOME", use_node_attr=True)
    assert plain[0].edge_attr is not None
    dataset = TUDataset(str(raw), "SOME", pre_transform=private(ignore=("edge_attr",)), force_reload=True)
    graphs = some_graphs()[[0, 1, 2, 4, 5, 6]]
    expected = DPRR(epsilon=2.0, n_max=40).randomize(
        gl.GraphSet(graphs.indptr, graphs.indices, graphs.graph_ptr, graphs.labels), rng=0
    )
    assert len(dataset) == 6
    for _epoch in range(2):  # stored reports may be read as often as one likes
        for graph, data in enumerate(dataset):
            assert sorted(data.keys()) == ["edge_index", "noisy_degree", "num_nodes", "x", "y"]
            want = gl.pyg.to_data(expected[graph])[0]
            assert torch.equal(some(data.edge_index), some(want.edge_index))
            assert torch.equal(data.noisy_degree, want.noisy_degree)
            assert torch.equal(some(data.x), plain[graph].x)
            assert torch.equal(data.y, plain[graph].y)
    assert len(DataLoader(dataset, batch_size=6)) == 1


def test_graphs_that_were_stored_under_another_epsilon_are_refused(raw: Path) -> None:
    """PyG itself only warns, and would train on less privacy than is stated, or on none."""
    from torch_geometric import transforms
    from torch_geometric.datasets import TUDataset

    ignore = ("edge_attr",)
    drawn = TUDataset(str(raw), "SOME", pre_transform=private(ignore=ignore))
    read = TUDataset(str(raw), "SOME", pre_transform=private(ignore=ignore))  # stored: nothing is drawn again
    for one, other in zip(drawn, read, strict=True):
        assert torch.equal(some(one.edge_index), some(other.edge_index))
    for others in ([private(1, ignore=ignore)], [transforms.ToUndirected(), private(epsilon=1.0, ignore=ignore)]):
        with pytest.raises(GraphLDPError, match=r"epsilon=2.0.*Give another root"):
            TUDataset(str(raw), "SOME", pre_transform=transforms.Compose(others))
    TUDataset(str(raw), "SOME", force_reload=True)
    with pytest.raises(GraphLDPError, match="were made with no transform, not with Randomize"):
        TUDataset(str(raw), "SOME", pre_transform=private(ignore=ignore))
    assert len(TUDataset(str(raw), "SOME", pre_transform=private(ignore=ignore), force_reload=True)) == 6


def test_transform_draws_each_graph_once(raw: Path) -> None:
    from torch_geometric.datasets import TUDataset
    from torch_geometric.loader import DataLoader

    dataset = TUDataset(str(raw), "SOME", transform=private(ignore=("edge_attr",)))
    first = list(dataset)
    assert len(first) == 6
    with pytest.raises(GraphLDPError, match=DRAWN):
        dataset[3]
    with pytest.raises(GraphLDPError, match=DRAWN):
        next(iter(DataLoader(dataset.shuffle(), batch_size=2)))


def test_reading_the_raw_files_again_is_a_second_draw(raw: Path) -> None:
    from torch_geometric.datasets import TUDataset

    transform = private(ignore=("edge_attr",))
    TUDataset(str(raw), "SOME", pre_transform=transform)
    with pytest.raises(GraphLDPError, match=DRAWN):
        TUDataset(str(raw), "SOME", pre_transform=transform, force_reload=True)


def test_transform_of_a_dataset_on_disk_draws_once(tmp_path: Path) -> None:
    from tests.learn.pyg_sets import FromDisk

    for place, data in enumerate(some_graphs()[[0, 2, 5]].to_pyg()):
        torch.save(data.to_dict(), tmp_path / f"{place}.pt")
    dataset = FromDisk(tmp_path, private())
    kept = [dataset[i] for i in range(3)]
    assert len(kept) == 3
    with pytest.raises(GraphLDPError, match=DRAWN):
        dataset[1]


def test_transforms_before_it_do_not_hide_a_graph() -> None:
    from tests.learn.pyg_sets import InMemory
    from torch_geometric import transforms

    data = some_graphs().to_pyg()
    composed = transforms.Compose([transforms.ToUndirected(), private()])
    dataset = InMemory(data, composed)
    assert len(list(dataset)) == 7  # equal stars are two graphs: both are held
    with pytest.raises(GraphLDPError, match=DRAWN):
        dataset[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_a_worker_process_is_refused() -> None:
    from tests.learn.pyg_sets import InMemory
    from torch_geometric.loader import DataLoader

    dataset = InMemory(some_graphs()[[0, 2]].to_pyg(), private())
    loader = DataLoader(
        dataset, batch_size=2, num_workers=1, multiprocessing_context=multiprocessing.get_context("fork")
    )
    with pytest.raises(GraphLDPError, match="in the process that made it"):
        next(iter(loader))


def test_noise_depends_on_position_not_on_edges() -> None:
    star, path = some_graphs()[[0]], gl.GraphSet.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], [6], [1])
    noise = []
    for graph in (star, path):
        drawn = private()(graph.to_pyg()[0])
        noise.append(drawn.noisy_degree.numpy() - graph.degrees)
    np.testing.assert_allclose(noise[0], noise[1], atol=1e-5)
    transform, data = private(), some_graphs()[[0, 1]].to_pyg()
    assert not torch.equal(transform(data[0]).noisy_degree, transform(data[1]).noisy_degree)


def test_the_original_stays_as_it_was() -> None:
    data = some_graphs().to_pyg()[0]
    before = some(data.edge_index).clone()
    result = gl.pyg.Randomize(RR(epsilon=0.1))(data)
    assert torch.equal(some(data.edge_index), before)
    assert "noisy_degree" not in result
    assert result.num_nodes == 6


def test_what_may_tell_of_edges_is_refused_by_name() -> None:
    data = some_graphs().to_pyg()[0]
    data.edge_weight = torch.ones(data.num_edges)
    data.adjacency = torch.ones(6, 6)
    data.seen_mask = torch.ones(6, dtype=torch.float)  # no mask
    with pytest.raises(DataError, match="cannot let adjacency, edge_weight, seen_mask pass: it may tell of true edges"):
        private()(data)
    ignored = ("adjacency", "edge_weight", "seen_mask", "y")
    assert sorted(private(ignore=ignored)(data).keys()) == ["edge_index", "noisy_degree", "num_nodes"]
    with pytest.raises(ParameterError, match="'ignore' parameter of Randomize must be a list of names"):
        private(ignore=wrong("edge_attr"))


def test_masks_and_positions_of_nodes_pass() -> None:
    data = some_graphs().to_pyg()[0]
    data.train_mask, data.pos = torch.arange(6) < 3, torch.rand(6, 2)
    result = private()(data)
    assert torch.equal(result.train_mask, data.train_mask)
    assert torch.equal(result.pos, data.pos)
    assert result.pos is not data.pos


def test_it_pickles_and_a_copy_draws_nothing() -> None:
    made, data = private(seed=3, ignore=("edge_attr",)), some_graphs().to_pyg()
    made(data[0])
    for copied in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert repr(copied) == repr(made)
        with pytest.raises(GraphLDPError, match="a copy of it draws nothing"):
            copied(data[1])
    made(data[1])


def test_a_batch_is_no_graph() -> None:
    from torch_geometric.data import Batch

    batch = Batch.from_data_list(some_graphs()[[0, 2]].to_pyg())
    with pytest.raises(ParameterError, match=r"one graph, before it is put into a batch. Got DataBatch instead"):
        private()(batch)
    for given in (batch, [batch]):
        with pytest.raises(ParameterError, match=r"a list of Data objects, .* Got DataBatch instead"):
            gl.GraphSet.from_pyg(given)


def test_a_dataset_is_a_list_of_graphs(raw: Path) -> None:
    from torch_geometric.datasets import TUDataset

    found = gl.GraphSet.from_pyg(TUDataset(str(raw), "SOME"), ignore=("edge_attr",))
    assert np.array_equal(found.indices, some_graphs().indices)
    assert some(found.labels).tolist() == [0, 0, 1, 0, 0, 1]


def test_exact_lists_pass_unchanged() -> None:
    data = some_graphs().to_pyg()[0]
    assert torch.equal(gl.pyg.Randomize(NonPrivFull())(data).edge_index, some(data.edge_index))


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="n_max"):
        gl.pyg.Randomize(DPRR(epsilon=1.0))
    assert repr(gl.pyg.Randomize(DPRR(epsilon=1.0, allocation="fixed"), seed=3)).endswith("seed=3)")
    with pytest.raises(ParameterError, match="one epsilon"):
        gl.pyg.Randomize(DPRR(epsilon=np.ones(6), n_max=10))
    with pytest.raises(ParameterError, match="'seed'"):
        gl.pyg.Randomize(RR(epsilon=1.0), seed=-1)
    with pytest.raises(ParameterError, match="at least the largest graph"):
        gl.pyg.Randomize(DPRR(epsilon=5.0, n_max=3))(some_graphs().to_pyg()[0])
    with pytest.raises(ParameterError, match="Data object"):
        private()([1, 2])


@pytest.mark.parametrize("sparse_features", [False, True])
def test_nodes_keep_their_columns_both_ways(sparse_features: bool) -> None:
    from torch_geometric.data import Data

    x = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    given = x.to_sparse() if sparse_features else x
    data = Data(x=given, edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([2, 0, 1]), num_nodes=3)
    data.group, data.train_mask = torch.tensor([0, 1, 0]), torch.tensor([True, False, False])
    graphs = gl.GraphSet.from_pyg([data], public=("x",), ignore=("train_mask",))
    assert graphs.labels is None
    assert some(graphs.node_labels).tolist() == [2, 0, 1]
    assert some(graphs.attributes).private_columns() == ("node_labels",)
    (back,) = graphs.to_pyg()
    assert (some(back.x).layout == torch.sparse_coo) == sparse_features
    assert torch.equal(some(back.x).to_dense(), x)
    assert torch.equal(back.y, data.y)
    assert torch.equal(back.group, data.group)
    (noisy,) = gl.RR(1.0).randomize(graphs, rng=0).to_pyg()
    assert noisy.y is None
    assert torch.equal(some(noisy.x).to_dense(), x)
    with pytest.raises(DataError, match="also hold train_mask: name it in ignore"):
        gl.GraphSet.from_pyg([data])


def test_labels_of_graphs_and_of_nodes_stand_beside_each_other() -> None:
    graphs = gl.GraphSet.from_edges([0], [1], [2, 1], labels=[5, 6]).with_node_labels([3, 4, 3])
    first, second = graphs.to_pyg()
    assert (first.y.tolist(), first.node_y.tolist(), second.node_y.tolist()) == ([5], [3, 4], [3])
    of_graphs = gl.GraphSet.from_pyg([first, second], public=("y",))  # which says nothing of the nodes
    assert some(of_graphs.attributes).private_columns() == ("node_labels",)
    again = gl.GraphSet.from_pyg([first, second], public=("node_y",))
    assert some(again.labels).tolist() == [5, 6]
    assert some(again.node_labels).tolist() == [3, 4, 3]
    assert some(again.attributes).public_labels


def test_nodes_columns_are_of_one_width_and_everywhere() -> None:
    from torch_geometric.data import Data

    edges = torch.zeros((2, 0), dtype=torch.long)
    one, two = (Data(x=torch.ones(2, width), edge_index=edges, num_nodes=2) for width in (1, 2))
    with pytest.raises(DataError, match="x must have the same number of columns"):
        gl.GraphSet.from_pyg([one, two])
    with pytest.raises(DataError, match="must hold x, or none"):
        gl.GraphSet.from_pyg([one, Data(edge_index=edges, num_nodes=2)])


@pytest.mark.parametrize(("aggregation", "told_apart"), [("max", False), ("mean", False), ("add", True)])
def test_only_a_sum_tells_graphs_apart_by_their_lists(aggregation: str, told_apart: bool) -> None:
    """From a constant feature, over lists of which none is empty: a star, a triangle and a path with both ends."""
    from torch_geometric.nn import GINConv

    star = gl.GraphSet.from_edges([0, 0, 0, 4, 4, 5, 7, 8], [1, 2, 3, 5, 6, 6, 8, 9], [4, 3, 3])
    torch.manual_seed(0)
    widths = ((1, 8), (8, 8))
    layers = [GINConv(torch.nn.Linear(*width), aggr=aggregation).double() for width in widths]
    pooled = []
    for data in NonPrivFull().randomize(star, rng=0).to_pyg():
        x = torch.ones(int(some(data.num_nodes)), 1, dtype=torch.float64)
        for layer in layers:
            x = layer(x, some(data.edge_index)).tanh()
        pooled.append(x.mean(dim=0))
    assert told_apart != all(torch.allclose(pooled[0], each) for each in pooled)
