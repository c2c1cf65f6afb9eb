# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Finds and loads the shared library, and declares the C functions that Python calls.

`library` releases the global interpreter lock in every call. A test compares `FUNCTIONS` with the headers.
"""

from __future__ import annotations

import ctypes
import os
import re
from ctypes import c_bool, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p
from pathlib import Path

from ._structs import HingeInfo, LoopInfo, OpSpaces

#: The version of the C interface that is declared here: major and minor.
INTERFACE = "0.2"

# what an argument is, in words; a pointer is passed as an address, an array of ctypes, or byref(a struct)
status = integer = c_int
pointer, text, number, size, flag, long = c_void_p, c_char_p, c_double, c_size_t, c_bool, c_long
nothing = None

#: Functions that a library may lack, depending on how it was built.
optional = re.compile("cuda|freeze|frozen")

#: Each function: its result, then its arguments.
FUNCTIONS: dict[str, tuple] = {
    # base.h
    "lb_get_version": (text,),
    "lb_get_status_text": (text, status),
    # document.h
    "lb_load_document": (status, text, pointer, pointer, pointer),
    "lb_load_document_text": (status, text, size, text, integer, pointer, pointer, pointer),
    "lb_load_document_model": (status, pointer, pointer, pointer),
    "lb_format_document": (status, pointer, integer, pointer, pointer),
    "lb_destroy_document": (nothing, pointer),
    # build.h, model.h
    "lb_destroy_model": (nothing, pointer),
    "lb_get_model_name": (text, pointer),
    "lb_get_body_count": (integer, pointer),
    "lb_get_q_count": (integer, pointer),
    "lb_get_v_count": (integer, pointer),
    "lb_get_gravity": (nothing, pointer, pointer),
    "lb_get_body_name": (text, pointer, integer),
    "lb_get_hinge": (HingeInfo, pointer, integer),
    "lb_get_hinge_type_name": (text, integer),
    "lb_get_q_offset": (integer, pointer, integer),
    "lb_get_v_offset": (integer, pointer, integer),
    "lb_get_mass_properties": (nothing, pointer, integer, pointer, pointer, pointer),
    "lb_get_node_count": (integer, pointer, integer),
    "lb_get_node_name": (text, pointer, integer, integer),
    "lb_get_mode_count": (integer, pointer, integer),
    "lb_get_loop_count": (integer, pointer),
    "lb_get_loop_name": (text, pointer, integer),
    "lb_get_neutral_configuration": (nothing, pointer, pointer),
    "lb_normalize_configuration": (status, pointer, number, pointer, pointer),
    "lb_compute_configuration_rate": (nothing, pointer, pointer, pointer, pointer),
    "lb_integrate_configuration": (nothing, pointer, pointer, pointer, pointer),
    "lb_difference_configuration": (nothing, pointer, pointer, pointer, pointer),
    # work.h, dynamics.h
    "lb_init_work_options": (nothing, pointer, size),
    "lb_create_work_with": (status, pointer, pointer, pointer),
    "lb_destroy_work": (nothing, pointer),
    "lb_use_tree": (nothing, pointer, flag),
    "lb_get_bad_inertia": (nothing, pointer, pointer, pointer),
    "lb_get_bad_number": (text, pointer, pointer),
    "lb_compute_forward_dynamics": (status, pointer, pointer, pointer, pointer, pointer, pointer),
    "lb_get_drive_forces": (status, pointer, pointer, pointer),
    "lb_compute_inverse_dynamics": (status, pointer, pointer, pointer, pointer, pointer, pointer),
    "lb_compute_mass_matrix": (status, pointer, pointer, pointer, pointer),
    "lb_compute_mass_matrix_inverse": (status, pointer, pointer, pointer, pointer),
    "lb_compute_kinematics": (status, pointer, pointer, pointer, pointer, pointer),
    "lb_compute_node_motion": (status, pointer, pointer, integer, integer, pointer),
    "lb_compute_jacobian": (status, pointer, pointer, integer, integer, integer, pointer),
    "lb_compute_jacobian_rate": (status, pointer, pointer, integer, integer, integer, pointer),
    "lb_compute_admittance": (status, pointer, pointer, integer, integer, integer, pointer),
    "lb_compute_energy": (status, pointer, pointer, pointer, pointer),
    "lb_compute_system_motion": (status, pointer, pointer, pointer),
    "lb_compute_reactions": (status, pointer, pointer, pointer, pointer),
    # derivatives.h
    "lb_create_derivative_work": (pointer, pointer),
    "lb_destroy_derivative_work": (nothing, pointer),
    "lb_compute_forward_derivatives": (status, *[pointer] * 10),
    "lb_compute_inverse_derivatives": (status, *[pointer] * 10),
    # loops.h, assemble.h
    "lb_get_loop_capacity": (integer, pointer),
    "lb_set_loop_active": (status, pointer, pointer, integer, flag),
    "lb_set_hinge_locked": (status, pointer, pointer, integer, flag),
    "lb_set_hinge_driven": (status, pointer, pointer, integer, flag),
    "lb_get_loop_force": (status, pointer, pointer, integer, pointer),
    "lb_compute_loop_errors": (status, pointer, pointer, pointer, pointer, pointer),
    "lb_get_active_row_count": (integer, pointer, pointer),
    "lb_form_loop_jacobian": (status, pointer, pointer, pointer),
    "lb_get_assembly_scratch_count": (size, pointer),
    "lb_get_loop_info": (LoopInfo, pointer, integer),
    "lb_take_initial_offsets": (status, pointer, pointer, pointer, pointer),
    "lb_assemble_loops": (status, *[pointer] * 7),
    # batch.h
    "lb_create_batch": (pointer, pointer, pointer),
    "lb_destroy_batch": (nothing, pointer),
    "lb_set_batch_like": (status, pointer, pointer, pointer),
    "lb_compute_forward_dynamics_batch": (status, pointer, pointer, integer, pointer, pointer, pointer, pointer),
    "lb_compute_inverse_dynamics_batch": (status, pointer, pointer, integer, pointer, pointer, pointer, pointer),
    "lb_compute_mass_matrix_batch": (status, pointer, pointer, integer, pointer, pointer),
    "lb_get_batch_bad_inertia": (nothing, pointer, pointer, pointer, pointer),
    "lb_get_batch_bad_number": (text, pointer, pointer, pointer),
    # operators.h
    "lb_op_get_size": (integer, pointer, integer),
    "lb_op_create_work": (pointer, pointer),
    "lb_op_destroy_work": (nothing, pointer),
    "lb_op_pick_nodes": (status, pointer, pointer, pointer, integer, pointer),
    "lb_op_set_blocks": (status, pointer, pointer, integer, pointer),
    "lb_compute_operators": (status, pointer, pointer, pointer, pointer),
    "lb_compute_operator_motion": (status, *[pointer] * 6),
    "lb_op_parse": (status, text, pointer, pointer),
    "lb_op_destroy_expression": (nothing, pointer),
    "lb_op_get_spaces": (OpSpaces, pointer),
    "lb_op_get_scratch_count": (size, pointer, pointer),
    "lb_op_apply_expression": (status, *[pointer] * 6),
    "lb_op_form_expression": (status, *[pointer] * 5),
    # signals.h, forces.h, events.h, control.h
    "lb_add_signal": (status, pointer, pointer, pointer),
    "lb_get_force_signals": (pointer, pointer),
    "lb_add_force": (status, pointer, pointer, pointer),
    "lb_add_event": (status, pointer, pointer, pointer),
    "lb_set_control_callback": (status, pointer, text, pointer, pointer),
    # simulate.h
    "lb_find_integrator": (integer, text),
    "lb_find_algorithm": (integer, text),
    "lb_load_simulation": (status, pointer, pointer, pointer, pointer),
    "lb_destroy_simulation": (nothing, pointer),
    "lb_get_simulation_forces": (pointer, pointer),
    "lb_get_run_options": (status, pointer, pointer),
    "lb_set_run_options": (status, pointer, pointer),
    "lb_set_initial_state": (status, pointer, pointer, pointer),
    "lb_set_initial_value": (status, pointer, text, number),
    "lb_get_initial_state": (nothing, pointer, pointer, pointer),
    "lb_add_output": (status, pointer, text),
    "lb_assemble_simulation": (status, pointer, pointer, pointer),
    "lb_trim_simulation": (status, pointer, pointer),
    "lb_restart_simulation": (status, pointer, number, pointer, pointer),
    "lb_step_simulation": (status, pointer, number),
    "lb_set_command": (status, pointer, text, number),
    "lb_read_signal": (status, pointer, text, pointer),
    "lb_get_simulation_state": (nothing, pointer, pointer, pointer, pointer, pointer),
    "lb_get_simulation_message": (text, pointer),
    "lb_run_simulation": (status, pointer, pointer, pointer),
    # results.h
    "lb_open_results": (status, text, pointer, pointer),
    "lb_close_results": (nothing, pointer),
    "lb_get_results_message": (text, pointer),
    "lb_get_results_info": (pointer, pointer),
    "lb_read_table": (status, pointer, integer, long, long, pointer),
    "lb_read_event": (status, pointer, integer, pointer, pointer),
    "lb_read_audit": (status, pointer, pointer),
    "lb_judge_audit": (integer, pointer),
    "lb_get_verdict_text": (text, integer),
    # linear.h
    "lb_find_speed": (integer, pointer, text, pointer),
    "lb_linearize": (status, pointer, pointer, pointer),
    "lb_destroy_linear": (nothing, pointer),
    "lb_compute_modes": (status, pointer, pointer, pointer),
    "lb_destroy_modes": (nothing, pointer),
    "lb_compute_margins": (status, pointer, pointer, pointer),
    "lb_destroy_margins": (nothing, pointer),
    # import.h
    "lb_import_files": (status, pointer, pointer, pointer, pointer),
    "lb_destroy_imported": (nothing, pointer),
    "lb_get_import_report": (text, pointer),
    "lb_get_import_json": (text, pointer),
    "lb_save_imported": (status, pointer, text, pointer),
    # cuda.h, which a library built without limber-cuda does not have
    "lb_create_cuda": (status, pointer, pointer, pointer),
    "lb_destroy_cuda": (nothing, pointer),
    "lb_get_cuda_name": (text, pointer),
    "lb_get_cuda_message": (text, pointer),
    "lb_wait_for_cuda": (status, pointer),
    "lb_allocate_on_cuda": (status, pointer, size, pointer),
    "lb_release_on_cuda": (nothing, pointer, pointer),
    "lb_copy_to_cuda": (status, pointer, pointer, pointer, size),
    "lb_copy_from_cuda": (status, pointer, pointer, pointer, size),
    "lb_create_cuda_batch": (status, *[pointer] * 5),
    "lb_destroy_cuda_batch": (nothing, pointer),
    "lb_compute_forward_dynamics_cuda": (status, pointer, long, *[pointer] * 4),
    "lb_compute_inverse_dynamics_cuda": (status, pointer, long, *[pointer] * 4),
    "lb_compute_mass_matrix_cuda": (status, pointer, long, pointer, pointer),
    "lb_compute_forward_derivatives_cuda": (status, pointer, long, *[pointer] * 7),
    "lb_load_cuda_batch": (status, *[pointer] * 5),
    "lb_run_cuda": (status, pointer, long, *[pointer] * 3),
    "lb_compute_outputs_cuda": (status, pointer, long, number, *[pointer] * 5),
    "lb_compute_jacobian_cuda": (status, pointer, text, long, pointer, pointer),
    "lb_compute_node_motion_cuda": (status, pointer, text, long, *[pointer] * 3),
    "lb_close_loops_cuda": (status, pointer, long, number, pointer, pointer),
    "lb_get_cuda_failure": (status, pointer, pointer),
    # freeze.h, which comes with it
    "lb_freeze_simulation": (status, *[pointer] * 4),
    "lb_get_frozen_count": (integer, pointer, integer),
    "lb_destroy_frozen": (nothing, pointer),
}


def find_library() -> str:
    """The file that LIMBER_LIBRARY names; else the one beside this module, as wheels and `cmake --install` put it;
    else that of a build in the same checkout; else what the system finds by name."""
    name = f"liblimber-python.so.{INTERFACE}"
    named = os.environ.get("LIMBER_LIBRARY")
    if named:
        return named
    here = Path(__file__).resolve().parent
    for file in (here / name, here.parent.parent / "build" / name):
        if file.exists():
            return str(file)
    return name


def load_library() -> ctypes.CDLL:
    """Loads the library and declares its functions; ImportError if it is absent or of another version."""
    file = find_library()
    try:
        loaded = ctypes.CDLL(file)
    except OSError as problem:
        raise ImportError(f"limber: cannot load {file}: {problem}. Install limber, or let LIMBER_LIBRARY name "
                          f"the file liblimber-python.so.{INTERFACE}") from None
    for name, (result, *arguments) in FUNCTIONS.items():
        function = getattr(loaded, name, None) if optional.search(name) else getattr(loaded, name)
        if function is None:
            continue
        function.restype, function.argtypes = result, arguments
    version = loaded.lb_get_version().decode()
    if not version.startswith(INTERFACE + "."):
        raise ImportError(f"limber: {file} is version {version}, but this module is for {INTERFACE}")
    return loaded


library = load_library()
