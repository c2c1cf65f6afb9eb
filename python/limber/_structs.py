# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""The structs of the C interface that Python uses. A test compares them with the headers."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_long, c_longlong, c_size_t, c_void_p
from math import inf
from typing import Any



class Sized(ctypes.Structure):
    """A struct whose first field is its own size. Size and defaults, as lb_default_* sets them, are set when it is made."""
    defaults: dict[str, Any] = {}

    def __init__(self, **fields: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **{**self.defaults, **fields})


class Diagnostic(ctypes.Structure):
    c_name = "lb_diagnostic"
    _fields_ = [("size", c_size_t), ("severity", c_int), ("file", c_char_p), ("line", c_int), ("column", c_int),
                ("path", c_char_p), ("message", c_char_p)]


Emit = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Diagnostic))


class Report(ctypes.Structure):
    c_name = "lb_report"
    _fields_ = [("emit", Emit), ("user", c_void_p)]


class ParameterValue(ctypes.Structure):
    c_name = "lb_parameter_value"
    _fields_ = [("name", c_char_p), ("value", c_double)]


class LoadOptions(Sized):
    c_name = "lb_load_options"
    _fields_ = [("size", c_size_t), ("allocator", c_void_p), ("floating_base", c_bool), ("keep_fixed", c_bool),
                ("instructions", c_int), ("allow_files", c_char_p), ("parameters", POINTER(ParameterValue)),
                ("parameter_count", c_int)]


class LoopInfo(ctypes.Structure):
    c_name = "lb_loop_info"
    _fields_ = [("type", c_int), ("body", c_int * 2), ("node", c_int * 2), ("row_count", c_int), ("term_count", c_int),
                ("as_assembled", ctypes.c_bool), ("driven", ctypes.c_bool)]


class HingeInfo(ctypes.Structure):
    c_name = "lb_hinge_info"
    _fields_ = [("type", c_int), ("parent", c_int), ("parent_node", c_int), ("node", c_int), ("q_count", c_int),
                ("v_count", c_int)]


class OpSpaces(ctypes.Structure):
    c_name = "lb_op_spaces"
    _fields_ = [("rows", c_int), ("columns", c_int)]


class NodeMotion(ctypes.Structure):
    c_name = "lb_node_motion"
    _fields_ = [("position", c_double * 3), ("rotation", c_double * 4), ("velocity", c_double * 6),
                ("acceleration", c_double * 6)]


class NodeForce(ctypes.Structure):
    c_name = "lb_node_force"
    _fields_ = [("body", c_int), ("node", c_int), ("axes", c_int), ("force", c_double * 6), ("power", c_double)]


class AppliedLoads(Sized):
    c_name = "lb_applied_loads"
    _fields_ = [("size", c_size_t), ("force_count", c_int), ("forces", c_void_p), ("field_count", c_int),
                ("fields", c_void_p)]


class SystemMotion(ctypes.Structure):
    c_name = "lb_system_motion"
    _fields_ = [("mass", c_double), ("com", c_double * 3), ("com_velocity", c_double * 3), ("linear", c_double * 3),
                ("angular", c_double * 3), ("angular_world", c_double * 3)]


class AssemblyOptions(Sized):
    c_name = "lb_assembly_options"
    defaults = {"tolerance": 1e-10, "iteration_max": 500}
    _fields_ = [("size", c_size_t), ("held", c_void_p), ("tolerance", c_double), ("iteration_max", c_int)]


class Assembly(Sized):
    c_name = "lb_assembly"
    _fields_ = [("size", c_size_t), ("iterations", c_int), ("residual", c_double), ("loop", c_int),
                ("speed_residual", c_double), ("speed_loop", c_int)]


class Team(ctypes.Structure):
    c_name = "lb_team"
    _fields_ = [("thread_count", c_int), ("run", c_void_p), ("wait", c_void_p)]


class WorkOptions(Sized):
    c_name = "lb_work_options"
    _fields_ = [("size", c_size_t), ("algorithm", c_int), ("run_length", c_int), ("tolerance", c_double),
                ("team", Team)]


class RunOptions(Sized):
    c_name = "lb_run_options"
    _fields_ = [("size", c_size_t), ("duration", c_double), ("interval", c_double), ("integrator", c_int),
                ("relative_tolerance", c_double), ("absolute_tolerance", c_double), ("step", c_double),
                ("max_step", c_double), ("order", c_int), ("damping", c_double), ("stop_at_outputs", c_bool),
                ("differences", c_bool), ("allow_programs", c_bool), ("allow_plugins", c_bool), ("algorithm", c_int),
                ("assemble", c_bool), ("hold_count", c_int), ("hold", POINTER(c_char_p)), ("absolute_modes", c_double),
                ("absolute_angles", c_double), ("absolute_lengths", c_double), ("absolute_mode_rates", c_double),
                ("absolute_rates", c_double), ("absolute_velocities", c_double), ("seed", c_double)]


Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_double, c_double)


class RunRequest(Sized):
    c_name = "lb_run_request"
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("model_text", c_char_p), ("model_length", c_size_t),
                ("resume", c_bool), ("progress", Progress), ("user", c_void_p), ("quick", c_bool),
                ("report", c_void_p), ("files", c_void_p), ("file_count", c_int)]


class Audit(Sized):
    c_name = "lb_audit"
    _fields_ = [("size", c_size_t)] + [(name, c_double) for name in (
        "time", "wall_time", "processor_time", "energy_start", "energy_end", "work_forces", "work_drives",
        "work_damping", "work_locking", "energy_scale", "energy_error", "linear_change", "angular_change",
        "quaternion_error", "steps", "rejections", "evaluations", "events", "rows", "jacobians", "work_loops",
        "work_closing", "work_projection", "closure_error", "closure_speed_error", "fallbacks", "motion_energy",
        "energy_bound", "linear_bound", "angular_bound", "work_error", "deformation", "growth")]


class Trim(Sized):
    c_name = "lb_trim"
    _fields_ = [("size", c_size_t), ("iterations", c_int), ("residual", c_double), ("tolerance", c_double),
                ("body", c_int), ("offset", c_int), ("under_control", c_bool)]


class LinearOptions(Sized):
    c_name = "lb_linear_options"
    defaults = {"spin": -1, "pade_order": 2}
    _fields_ = [("size", c_size_t), ("about", c_int), ("t", c_double), ("q", c_void_p), ("v", c_void_p),
                ("locked", c_void_p), ("spin", c_int), ("spin_speed", c_double), ("input_count", c_int),
                ("inputs", POINTER(c_char_p)), ("output_count", c_int), ("outputs", POINTER(c_char_p)),
                ("about_point", c_double * 3), ("control", c_int), ("open_count", c_int), ("open", POINTER(c_char_p)),
                ("pade_order", c_int), ("period", c_double)]


Numbers = POINTER(c_double)
Texts = POINTER(c_char_p)


class Linear(ctypes.Structure):
    c_name = "lb_linear"
    _fields_ = [("size", c_size_t), ("coordinate_count", c_int), ("state_count", c_int), ("input_count", c_int),
                ("output_count", c_int), ("A", Numbers), ("B", Numbers), ("C", Numbers), ("D", Numbers),
                ("states", Texts), ("inputs", Texts), ("outputs", Texts), ("coordinates", POINTER(c_int)),
                ("output_values", Numbers), ("t", c_double), ("q_count", c_int), ("v_count", c_int), ("q", Numbers),
                ("v", Numbers), ("a", Numbers), ("unbalance", c_double), ("unbalanced", c_char_p),
                ("eigenvalues", Numbers), ("zero_count", c_int), ("participation", Numbers), ("carry", Numbers),
                ("carry_rate", Numbers), ("control", c_int), ("period", c_double), ("multipliers", Numbers),
                ("feedback_count", c_int), ("feedbacks", Texts), ("closed", c_void_p), ("feedback_notes", Texts),
                ("parameter_count", c_int), ("parameters", Texts), ("parameter_values", Numbers), ("stable", c_bool),
                ("growth", c_double * 2),
                ("changes", c_char_p), ("averaged", c_char_p), ("is_periodic", c_bool), ("moved", c_double),
                ("moved_name", c_char_p), ("sampled", c_void_p)]


class Modes(ctypes.Structure):
    c_name = "lb_modes"
    _fields_ = [("size", c_size_t), ("mode_count", c_int), ("coordinate_count", c_int), ("symmetric", c_bool),
                ("coordinates", POINTER(c_int)), ("names", Texts), ("kinds", POINTER(c_int)), ("eigenvalues", Numbers),
                ("frequencies", Numbers), ("dampings", Numbers), ("shapes", Numbers), ("shares", Numbers),
                ("effective", Numbers), ("effective_sums", c_double * 6), ("mass", c_double),
                ("inertia", c_double * 3), ("q", Numbers), ("v", Numbers), ("a", Numbers), ("unbalance", c_double),
                ("unbalanced", c_char_p), ("control", c_int), ("period", c_double), ("feedback_count", c_int),
                ("feedbacks", Texts), ("closed", c_void_p), ("feedback_notes", Texts), ("stable", c_bool),
                ("growth", c_double * 2),
                ("changes", c_char_p), ("instant_count", c_int), ("instants", Numbers), ("turns", Numbers),
                ("multipliers", Numbers), ("moved", c_double), ("moved_name", c_char_p), ("lost_count", c_int)]


class NodeName(ctypes.Structure):
    c_name = "lb_node_name"
    _fields_ = [("body", c_char_p), ("node", c_char_p)]


class Instant(ctypes.Structure):
    c_name = "lb_instant"
    _fields_ = [("size", c_size_t), ("model", c_void_p), ("work", c_void_p), ("t", c_double), ("q", Numbers),
                ("v", Numbers), ("a", Numbers), ("applied", c_void_p), ("loads", c_void_p)]


class ForceSample(ctypes.Structure):
    c_name = "lb_force_sample"
    _fields_ = [("size", c_size_t), ("instant", POINTER(Instant)), ("node_count", c_int),
                ("nodes", POINTER(NodeMotion))]


class ForceAnswer(ctypes.Structure):
    c_name = "lb_force_answer"
    _fields_ = [("size", c_size_t), ("loads", Numbers), ("tau", Numbers), ("energy", c_double)]


ForceFunction = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(ForceSample), POINTER(ForceAnswer))


class ForceCallbacks(Sized):
    c_name = "lb_force_callbacks"
    _fields_ = [("size", c_size_t), ("compute", ForceFunction), ("differentiate", c_void_p), ("user", c_void_p),
                ("conservative", c_bool)]


class ForceOptions(Sized):
    c_name = "lb_force_options"
    defaults = {"enabled": True, "lower": -inf, "upper": inf, "width": 1e-3, "low": -inf, "high": inf, "max_speed": inf,
                "max_power": inf, "gain": 1.0, "rate_limit": inf, "gradient": True, "axis": (0.0, 0.0, 1.0)}
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("type", c_int), ("enabled", c_bool), ("hinge", c_char_p),
                ("between", NodeName * 2), ("at", NodeName), ("axes", c_int), ("stiffness", c_double),
                ("damping", c_double), ("rest", c_double), ("coulomb", c_double), ("viscous", c_double),
                ("speed", c_double), ("lower", c_double), ("upper", c_double), ("width", c_double), ("low", c_double),
                ("high", c_double), ("max_speed", c_double), ("max_power", c_double), ("gain", c_double),
                ("dead_zone", c_double), ("rate_limit", c_double), ("lag", c_double), ("values", c_void_p),
                ("value_count", c_int), ("order", c_int), ("mu", c_double), ("position", c_double * 3),
                ("gradient", c_bool), ("callbacks", POINTER(ForceCallbacks)), ("nodes", POINTER(NodeName)),
                ("node_count", c_int), ("breakaway", c_double), ("j2", c_double), ("radius", c_double),
                ("axis", c_double * 3)]


SignalFunction = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Instant), POINTER(c_double))


class SignalOptions(Sized):
    c_name = "lb_signal_options"
    defaults = {"stage": 1}
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("expression", c_char_p), ("callback", SignalFunction),
                ("user", c_void_p), ("stage", c_int)]


ActionFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_double)


class ActionOptions(Sized):
    c_name = "lb_action_options"
    _fields_ = [("size", c_size_t), ("type", c_int), ("subject", c_char_p), ("change", c_void_p),
                ("callback", ActionFunction), ("user", c_void_p)]


class EventOptions(Sized):
    c_name = "lb_event_options"
    defaults = {"stage": 1}
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("when", c_char_p), ("level", SignalFunction),
                ("user", c_void_p), ("stage", c_int), ("crosses", c_double), ("direction", c_int), ("once", c_bool),
                ("actions", POINTER(ActionOptions)), ("action_count", c_int)]


class ControlSample(ctypes.Structure):
    c_name = "lb_control_sample"
    _fields_ = [("size", c_size_t), ("t", c_double), ("period", c_double), ("sensor_count", c_int),
                ("sensors", Numbers), ("channel_count", c_int), ("position", Numbers), ("speed", Numbers),
                ("desired", Numbers), ("desired_speed", Numbers), ("desired_acceleration", Numbers)]


ControlLaw = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(ControlSample), Numbers)


class CudaOptions(Sized):
    c_name = "lb_cuda_options"
    _fields_ = [("size", c_size_t), ("index", c_int), ("stream", c_void_p)]


class CudaBatchOptions(Sized):
    c_name = "lb_cuda_batch_options"
    _fields_ = [("size", c_size_t), ("functions", c_char_p), ("number", c_int), ("thread_count", c_int),
                ("block_count", c_int), ("operation_count", c_int), ("configuration", c_void_p), ("chunk_count", c_int),
                ("kernels", c_int)]


class CudaRun(Sized):
    c_name = "lb_cuda_run"
    defaults = {"step": 1e-3, "step_count": 1, "latest": float("inf"), "damping": 0.8}
    _fields_ = [("size", c_size_t), ("method", c_int), ("start", c_double), ("step", c_double),
                ("step_count", c_longlong), ("latest", c_double), ("damping", c_double), ("past", c_void_p),
                ("goes_on", c_bool), ("tau", c_void_p), ("u", c_void_p)]


class FreezeOptions(Sized):
    c_name = "lb_freeze_options"
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("functions", c_char_p), ("number", c_int),
                ("configuration", c_void_p), ("language", c_int), ("parameters", c_void_p), ("operation_count", c_int),
                ("inputs", c_char_p), ("vectors", c_bool), ("header", c_char_p), ("batches", c_bool)]


class NamedNode(ctypes.Structure):
    c_name = "lb_named_node"
    _fields_ = [("name", c_char_p), ("id", c_long)]


class GeometricFile(ctypes.Structure):
    c_name = "lb_geometric_file"
    _fields_ = [("load", c_char_p), ("file", c_char_p)]


class TiedNode(Sized):
    c_name = "lb_tied_node"
    defaults = {"tie": 1}
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("tie", c_int), ("set", c_char_p), ("position", c_void_p)]


ImportProgress = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_double)


class ImportOptions(Sized):
    c_name = "lb_import_options"
    defaults = {"length": 1.0, "mass": 1.0, "time": 1.0}
    _fields_ = [("size", c_size_t), ("files", POINTER(c_char_p)), ("file_count", c_int), ("roles", POINTER(c_int)),
                ("length", c_double), ("mass", c_double), ("time", c_double), ("clamp", POINTER(c_long)),
                ("clamp_count", c_int), ("mode_count", c_int), ("below", c_double), ("nodes", POINTER(NamedNode)),
                ("node_count", c_int), ("geometric", POINTER(GeometricFile)), ("geometric_count", c_int),
                ("ties", POINTER(TiedNode)), ("tie_count", c_int), ("held", POINTER(c_char_p)), ("held_count", c_int),
                ("interfaces", POINTER(c_char_p)), ("interface_count", c_int), ("residuals", POINTER(c_char_p)),
                ("residual_count", c_int), ("progress", ImportProgress), ("user", c_void_p)]


class Margins(ctypes.Structure):
    c_name = "lb_margins"
    _fields_ = [("size", c_size_t), ("stable", c_bool), ("period", c_double), ("feedback_count", c_int),
                ("feedbacks", Texts), ("closed", POINTER(ctypes.c_ubyte)), ("feedback_notes", Texts)] + [
                    (name, Numbers) for name in (
                        "gain_up", "gain_up_frequency", "gain_down", "gain_down_frequency", "phase",
                        "phase_frequency", "delay", "delay_frequency")] + [("growth", c_double * 2),
                ("changes", c_char_p)]


class TableInfo(ctypes.Structure):
    c_name = "lb_table_info"
    _fields_ = [("name", c_char_p), ("note", c_char_p), ("column_count", c_int), ("columns", Texts)]


class ResultsInfo(ctypes.Structure):
    c_name = "lb_results_info"
    _fields_ = [("size", c_size_t), ("row_count", c_long), ("ending", c_int), ("model", c_char_p), ("hash", c_char_p),
                ("options", c_char_p), ("version", c_char_p), ("damage", c_char_p), ("table_count", c_int),
                ("tables", POINTER(TableInfo)), ("event_count", c_int), ("file_count", c_int), ("files", Texts)]
