"""The public names, once: type checkers read them here, and so does the package itself."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # mypy resolves the rooms first, and what the root names of them last
    from graphldp import threats as threats
    from graphldp.datasets import synthetic as synthetic
    from graphldp.datasets.fitting import synthesize as synthesize
    from graphldp.datasets.loading import load_dataset as load_dataset
    from graphldp.errors import GraphLDPError as GraphLDPError
    from graphldp.estimates import plan as plan
    from graphldp.estimates import statistics as statistics
    from graphldp.graphs import GraphSet as GraphSet
    from graphldp.learn import pyg as pyg
    from graphldp.learn.classifier import GCNClassifier as GCNClassifier
    from graphldp.learn.classifier import GINClassifier as GINClassifier
    from graphldp.learn.classifier import SAGEClassifier as SAGEClassifier
    from graphldp.learn.inference.posterior import LinkPosterior as LinkPosterior
    from graphldp.learn.nodes.classifier import NodeClassifier as NodeClassifier
    from graphldp.learn.nodes.feature_view import FeatureView as FeatureView
    from graphldp.learn.recipe import Recipe as Recipe
    from graphldp.learn.recipe import recommended as recommended
    from graphldp.learn.selection import split as split
    from graphldp.learn.tables.controls import DegreeControl as DegreeControl
    from graphldp.learn.tables.controls import SizeControl as SizeControl
    from graphldp.learn.tables.profile_classifier import ProfileClassifier as ProfileClassifier
    from graphldp.learn.tables.robust_classifier import RobustProfileClassifier as RobustProfileClassifier
    from graphldp.mechanisms import ARR as ARR
    from graphldp.mechanisms import DPRR as DPRR
    from graphldp.mechanisms import RR as RR
    from graphldp.mechanisms import Blink as Blink
    from graphldp.mechanisms import CategoryRR as CategoryRR
    from graphldp.mechanisms import ClosedPairs as ClosedPairs
    from graphldp.mechanisms import FriendCounts as FriendCounts
    from graphldp.mechanisms import HubCounts as HubCounts
    from graphldp.mechanisms import HubLists as HubLists
    from graphldp.mechanisms import Joint as Joint
    from graphldp.mechanisms import LapGraph as LapGraph
    from graphldp.mechanisms import LocalLap as LocalLap
    from graphldp.mechanisms import Mechanism as Mechanism
    from graphldp.mechanisms import MultiBit as MultiBit
    from graphldp.mechanisms import NoisyDegrees as NoisyDegrees
    from graphldp.mechanisms import NonPrivFull as NonPrivFull
    from graphldp.mechanisms import NonPrivPart as NonPrivPart
    from graphldp.mechanisms import RowMechanism as RowMechanism
    from graphldp.mechanisms import customized as customized
    from graphldp.mechanisms import match_public_fraction as match_public_fraction
    from graphldp.mechanisms.contract import check_mechanism as check_mechanism
    from graphldp.mechanisms.named import register as register
    from graphldp.pages.comparison import compare as compare
    from graphldp.privacy.budget import Budget as Budget
    from graphldp.privacy.guarantee import Guarantee as Guarantee
    from graphldp.reports import Reports as Reports

__version__: str
__all__: list[str]
