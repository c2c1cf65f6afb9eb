#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_numbers.py SOURCE: every function of include/limber that takes numbers is tried with bad ones.

A function takes numbers if one of its arguments is a double, a const array of them, or points to a const
struct that has numbers in it or in what it points to. Each is named in one of TESTS, which put NaN and
infinity there, or in EXCEPT with the reason. Exit status 1 if one is not.
"""
import glob
import os
import re
import sys

TESTS = ["test/cross/test_bad_numbers.c", "test/failure/test_bad_options.c"]

EXCEPT = {
    "lb_compute_configuration_rate": "numbers that are not finite give such numbers",
    "lb_integrate_configuration": "likewise",
    "lb_difference_configuration": "likewise",
    "lb_compute_spin_stiffness": "likewise",
    "lb_compute_mode_displacement": "takes modes of the library",
    "lb_get_density": "numbers that are not finite give such numbers",
    "lb_compute_singular_values": "gives NaN for them, which test_spectra.c looks at",
    "lb_save_linear": "writes what it is given",
    "lb_judge_audit": "reads what the library has filled in",
    "lb_find_response_growth": "likewise",
    "lb_get_audit_value": "reads what the library has filled in",
    "lb_create_fmu": "refuses them, which test_fmu.c looks at",
    "lb_run_cuda": "refuses them, which test_cuda_runs.c looks at",
    "lb_close_loops_cuda": "its kernel refuses them, and states are NaN",
    "lb_compute_outputs_cuda": "its kernel refuses them, and outputs are NaN",
    "lb_create_cuda_batch": "lb_freeze_model refuses a configuration that is not finite",
    "lb_load_cuda_batch": "does not read the configuration",
    "lb_copy_states_to_cuda": "copies what it is given",
    "lb_create_simulation_fmu": "shares the check of lb_create_fmu",
    "lb_freeze_simulation": "shares the check of lb_freeze_model",
    "lb_open_simulation": "hands its options to lb_load_document",
    "lb_load_sweep": "hands its options to lb_load_document",
    "lb_freeze_model": "refuses them, which test_frozen_loops.c looks at",
    "lb_evaluate_sample": "refuses them, which test_sweep.c looks at",
    "lb_create_cuda_division": "refuses them, which test_cuda_chain.c looks at where there is a device",
    "lb_start_cuda_division": "its check finds them, which test_cuda_chain.c looks at",
    "lb_compute_forward_dynamics_divided_cuda": "likewise",
    "lb_write_sweep_row": "writes what it is given",
    "lb_save_sweep_table": "likewise",
}


def read_headers(source):
    text = ""
    for path in sorted(glob.glob(os.path.join(source, "include/limber/*.h"))):
        with open(path, encoding="utf-8") as file:
            text += re.sub(r"//[^\n]*", "", file.read())
    return text


def find_structs(text):
    """Names of structs with numbers, in themselves or in what they hold or point to."""
    bodies = dict(re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, re.S))
    bodies = {name: re.sub(r"\([^()]*\)", "", body) for name, body in bodies.items()}  # callbacks
    # where numbers are to be written is no input
    known = {name for name, body in bodies.items()
             if re.search(r"\bconst double\b|\bdouble\s+[^*\s]", body)}
    while True:
        more = {name for name, body in bodies.items()
                if known & set(re.findall(r"\b(lb_\w+)\b", body))} - known
        if not more:
            return known
        known |= more


def takes_numbers(arguments, structs):
    for argument in arguments.split(","):
        words = argument.split()
        plain = re.fullmatch(r"double \w+", " ".join(words))
        given = "const" in words and "**" not in argument and ("double" in words or structs & set(words))
        if plain or given:
            return True
    return False


def main():
    source = sys.argv[1]
    text = read_headers(source)
    structs = find_structs(text)
    tested = set()
    for path in TESTS:
        with open(os.path.join(source, path), encoding="utf-8") as file:
            tested |= set(re.findall(r"\blb_\w+", file.read()))
    count = 0
    failed = False
    for name, arguments in re.findall(r"LB_API\s[^;{]*?\b(lb_\w+)\(([^;{]*?)\);", text, re.S):
        if not takes_numbers(arguments, structs):
            continue
        count += 1
        if name not in tested and name not in EXCEPT:
            print(f"{name} takes numbers: try NaN and infinity in {' or '.join(TESTS)}")
            failed = True
    print(f"{count} functions take numbers")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
