# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Times calls from Python beside the same calls from C, which a program of this script makes.

    PYTHONPATH=python python3 bench/python.py [MODEL] [--batch COUNT] [--rounds COUNT]

Both sides take turns in the same run, and the shortest time of each counts.
"""

import argparse
import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import limber
from limber._library import find_library, library

SOURCE = """
#include <limber/batch.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double time_forward(const lb_model *model, lb_work *work, int count, const double *q, const double *v,
                    const double *tau, double *a)
{
    const double start = now();
    for (int i = 0; i < count; ++i) {
        lb_compute_forward_dynamics(model, work, q, v, tau, a);
    }
    return (now() - start) / count;
}

double time_inverse(const lb_model *model, lb_work *work, int count, const double *q, const double *v,
                    const double *a, double *tau)
{
    const double start = now();
    for (int i = 0; i < count; ++i) {
        lb_compute_inverse_dynamics(model, work, q, v, a, tau);
    }
    return (now() - start) / count;
}

double time_batch(const lb_model *model, lb_batch *work, int count, const double *q, const double *v,
                  const double *tau, double *a)
{
    const double start = now();
    lb_compute_forward_dynamics_batch(model, work, count, q, v, tau, a);
    return now() - start;
}
"""


def compile_c(folder):
    """The functions above, from a shared library of their own that calls that of the module."""
    source, shared = Path(folder) / "bench.c", Path(folder) / "bench.so"
    source.write_text(SOURCE)
    include = Path(__file__).resolve().parent.parent / "include"
    found = Path(find_library()).resolve()
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-D_POSIX_C_SOURCE=200809L", f"-I{include}", str(source), "-o",
                    str(shared), str(found), f"-Wl,-rpath,{found.parent}"], check=True)
    loaded = ctypes.CDLL(str(shared))
    for name in ("time_forward", "time_inverse", "time_batch"):
        function = getattr(loaded, name)
        function.restype = ctypes.c_double
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int] + [ctypes.c_void_p] * 4
    return loaded


def measure(call, count):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def show(name, python, c, unit):
    scale = {"us": 1e6, "ms": 1e3}[unit]
    print(f"{name:32} {python * scale:10.3f} {unit}  in C {c * scale:10.3f} {unit}  ratio {python / c:.3f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="?", default="examples/iiwa.yaml")
    parser.add_argument("--batch", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    model = limber.load(options.model)
    data, n, handle = model.data(threads=1), model.v_count, model._handle
    random = np.random.default_rng(1)
    q = model.normalize(model.integrate(model.neutral(), random.uniform(-1, 1, n)))
    v, tau, out = random.uniform(-1, 1, n), random.uniform(-1, 1, n), np.empty(n)
    pointers = [array.ctypes.data for array in (q, v, tau, out)]
    print(model)
    with tempfile.TemporaryDirectory() as folder:
        c = compile_c(folder)
        cases = {"forward": (lambda: data.forward(q, v, tau), c.time_forward),
                 "forward, out=": (lambda: data.forward(q, v, tau, out=out), c.time_forward),
                 "inverse": (lambda: data.inverse(q, v, tau), c.time_inverse)}
        best = {name: [np.inf, np.inf] for name in cases}
        for _ in range(options.rounds):
            for name, (call, in_c) in cases.items():
                best[name][0] = min(best[name][0], measure(call, 200))
                best[name][1] = min(best[name][1], in_c(handle, data._work, 200, *pointers))
        for name, times in best.items():
            show(name, *times, "us")

        count = options.batch
        many = [np.repeat(q[None], count, 0), random.uniform(-1, 1, (count, n)), random.uniform(-1, 1, (count, n)),
                np.zeros((count, n))]
        work = library.lb_create_batch(handle, None)
        best = [np.inf, np.inf]
        for _ in range(max(5, options.rounds // 4)):
            best[0] = min(best[0], measure(lambda: data.forward(*many[:3], out=many[3]), 1))
            best[1] = min(best[1], c.time_batch(handle, work, count, *(array.ctypes.data for array in many)))
        library.lb_destroy_batch(work)
        show(f"batch of {count}, one thread", *best, "ms")


if __name__ == "__main__":
    main()
