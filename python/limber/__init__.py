# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of rigid and flexible multibody systems.

    import limber
    m = limber.load("panda.urdf")
    d = m.data()
    a = d.forward(q, v, tau)

Units are SI, angles are radians, spatial vectors have their angular part first.
"""

from . import _library
from ._errors import Diagnostic, Error, LimberWarning
from ._names import Coordinates
from .data import Data
from .linear import LinearModel, Margins, Modes
from .model import Body, Model, Node, build, load, loads
from .operators import Operator
from .results import Results, read_results
from .simulation import Simulation
from .structure import Structure, import_matrices, import_structure

__version__: str = _library.library.lb_get_version().decode()
__all__ = ["Body", "Coordinates", "Data", "Diagnostic", "Error", "LimberWarning", "LinearModel", "Margins", "Model",
           "Modes", "Node", "Operator", "Results", "Simulation", "Structure", "build", "import_matrices",
           "import_structure", "load", "loads", "read_results"]
