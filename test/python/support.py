# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests share."""

import os
from pathlib import Path

import numpy as np

import limber

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
ORACLES = ROOT / "test" / "data" / "oracles"
# robots and their numbers, which are no part of the project
ROBOTS = Path(os.environ.get("LB_URDF_ORACLE_DIR", ROOT.parent / "shared" / "oracles" / "urdf"))


def pendulum() -> limber.Model:
    return limber.load(EXAMPLES / "double_pendulum.yaml")


def chain(count: int) -> limber.Model:
    """A chain of links about changing axes."""
    axes = np.eye(3)
    return limber.build({
        "name": "chain", "gravity": [0, 0, -9.81],
        "bodies": [{"name": f"link{i}", "parent": f"link{i - 1}" if i else "ground", "at": "tip" if i else "origin",
                    "hinge": {"type": "revolute", "axis": axes[i % 3]}, "mass": 1 + 0.1 * i, "com": [0, 0.1, -0.2],
                    "inertia": [0.05, 0.06, 0.07, 0, 0, 0], "nodes": {"tip": {"position": [0.1, 0, -0.4]}}}
                   for i in range(count)]})


def states(model: limber.Model, count: int, seed: int = 1):
    """Random q, v and tau of a model whose coordinates are all plain numbers."""
    random = np.random.default_rng(seed)
    return tuple(random.uniform(-1, 1, (count, width)) for width in (model.q_count, model.v_count, model.v_count))
