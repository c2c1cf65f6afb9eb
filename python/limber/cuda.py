# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Millions of states on a graphics processor, in arrays that stay there.

    from limber import cuda
    import cupy
    device = cuda.Device()
    batch = cuda.Batch(device, model)
    q = cupy.zeros((model.q_count, 1_000_000))  # one column per state
    a = cupy.asarray(batch.forward(q, v, tau))

Arrays are those of any library that speaks DLPack or the CUDA array interface, such as CuPy, PyTorch and JAX. They have
one row per coordinate and one column per state, and lie row by row. Results are `Array` objects, which such libraries
take without a copy, or go into arrays that are given as `out`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import STATUS_NAMES, Error, Reporter, decode
from ._library import library
from ._owned import own
from ._structs import CudaBatchOptions, CudaOptions, CudaRun, FreezeOptions

if TYPE_CHECKING:
    from .model import Model
    from .simulation import Simulation

METHODS = {"rk4": 0, "euler": 1, "alpha": 2}
INPUTS, OUTPUTS = 2, 3  # lists of lb_frozen_list
LANGUAGE, OPERATIONS = 1, 6000  # of kernels, and arithmetic of one, as lb_create_cuda_batch has it

NUMBERS = {np.dtype(np.float64): 0, np.dtype(np.float32): 1}
CUDA = 2  # the kind of device in DLPack
FLOAT = 2  # the kind of number in DLPack


# ---- DLPack ----------------------------------------------------------------------------------------------------------


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

_lent: dict[int, tuple[Any, ...]] = {}  # what the receivers of capsules still use


@_Deleter
def _take_back(address: int) -> None:
    _lent.pop(address, None)


def _read_capsule(array: Any) -> tuple[int, tuple[int, ...], str, Any]:
    """Address, shape, type of numbers, and strides in entries or None."""
    capsule = array.__dlpack__()
    tensor = _Managed.from_address(_get_pointer(capsule, b"dltensor")).tensor
    if tensor.code != FLOAT or tensor.lanes != 1:
        raise TypeError("expected an array of floating-point numbers")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else None
    # the capsule is not renamed: it frees what it holds, and the array itself stays with the caller
    return tensor.data + tensor.offset, shape, f"<f{tensor.bits // 8}", strides


def _describe(array: Any, name: str) -> tuple[int, tuple[int, ...], str]:
    """Address, shape and type of numbers of an array on the device that lies row by row."""
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        address, shape, kind = interface["data"][0], tuple(interface["shape"]), interface["typestr"]
        strides = interface.get("strides")
        strides = tuple(step // int(kind[2:]) for step in strides) if strides else None
    elif hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] == CUDA:
        address, shape, kind, strides = _read_capsule(array)
    else:
        raise TypeError(f"{name} is a {type(array).__name__}, expected an array on the device")
    step = 1
    for extent, found in zip(reversed(shape), reversed(strides or ())):
        if extent > 1 and found != step:
            raise ValueError(f"{name} does not lie row by row: make a contiguous copy")
        step *= extent
    return address or 0, shape, kind


# ---- devices and arrays ----------------------------------------------------------------------------------------------


class Device:
    """A graphics processor. `stream` is the address of a CUDA stream; 0 is the default stream."""

    def __init__(self, index: int = 0, stream: int = 0) -> None:
        if not hasattr(library, "lb_create_cuda"):
            raise Error("this limber was built without limber-cuda", "unsupported")
        reporter, handle = Reporter(), ctypes.c_void_p()
        options = CudaOptions(index=index, stream=stream or None)
        reporter.check(library.lb_create_cuda(ctypes.byref(options), reporter.address, ctypes.byref(handle)))
        self.index = index
        self._handle = own(self, handle.value, library.lb_destroy_cuda)

    @property
    def name(self) -> str:
        return decode(library.lb_get_cuda_name(self._handle))

    def wait(self) -> None:
        """Waits until all work that was started is done."""
        self._check(library.lb_wait_for_cuda(self._handle))

    def empty(self, shape: Sequence[int], dtype: Any = np.float64) -> Array:
        """An array whose numbers are not set."""
        return Array(self, shape, dtype)

    def array(self, numbers: Any, dtype: Any = np.float64) -> Array:
        """A copy of an array of the host."""
        host = np.ascontiguousarray(numbers, dtype)
        made = Array(self, host.shape, dtype)
        self._check(library.lb_copy_to_cuda(self._handle, made.address, host.ctypes.data, host.nbytes))
        return made

    def _check(self, status: int) -> None:
        if status < 0:
            raise Error(decode(library.lb_get_cuda_message(self._handle)), STATUS_NAMES.get(status, ""))


class Array:
    """Numbers on a device, for `cupy.asarray`, `torch.as_tensor`, `from_dlpack` and the like."""

    def __init__(self, device: Device, shape: Sequence[int], dtype: Any) -> None:
        self.device, self.shape, self.dtype = device, tuple(int(extent) for extent in shape), np.dtype(dtype)
        if self.dtype not in NUMBERS:
            raise TypeError(f"{self.dtype}, expected float64 or float32")
        address = ctypes.c_void_p()
        device._check(library.lb_allocate_on_cuda(device._handle, self.nbytes, ctypes.byref(address)))
        handle = device._handle
        self.address = own(self, address.value, lambda memory: library.lb_release_on_cuda(handle, memory), device)

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def numpy(self) -> np.ndarray:
        """A copy on the host."""
        host = np.empty(self.shape, self.dtype)
        self.device._check(library.lb_copy_from_cuda(self.device._handle, host.ctypes.data, self.address, host.nbytes))
        return host

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3,
                "strides": None, "stream": 1}

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.device.index

    def __dlpack__(self, **wishes: Any) -> Any:
        """A capsule of DLPack, version 0. Work on the array is on the stream of its device."""
        self.device.wait()
        shape = (ctypes.c_int64 * len(self.shape))(*self.shape)
        managed = _Managed(_Tensor(self.address, CUDA, self.device.index, len(self.shape), FLOAT,
                                   8 * self.dtype.itemsize, 1, shape, None, 0), None, _take_back)
        address = ctypes.addressof(managed)
        _lent[address] = (managed, shape, self)
        return _new_capsule(address, b"dltensor", None)


# ---- batches ---------------------------------------------------------------------------------------------------------


class Batch:
    """A model, or a simulation with its force elements, on a device: its kernels, compiled once."""

    def __init__(self, device: Device, model: Model | Simulation,
                 functions: Sequence[str] = ("forward", "inverse", "mass"), dtype: Any = np.float64) -> None:
        """`functions` are of forward, inverse, mass, derivatives, step, step:euler, step:alpha, close, jacobian:NODE and
        motion:NODE; of a simulation also outputs. Closed loops are closed near the neutral configuration."""
        self.device, self.dtype = device, np.dtype(dtype)
        if self.dtype not in NUMBERS:
            raise TypeError(f"{self.dtype}, expected float64 or float32")
        simulation = model if hasattr(model, "_use") else None
        words = ",".join(functions).encode()
        model = simulation.model if simulation is not None else model  # type: ignore[union-attr]
        self.q_count, self.v_count = model.q_count, model.v_count  # type: ignore[union-attr]
        self.input_count = self.output_count = 0
        reporter, handle = Reporter(), ctypes.c_void_p()
        if simulation is not None:
            self._load(simulation, words, reporter, handle)
        else:
            options = CudaBatchOptions(functions=words, number=NUMBERS[self.dtype])
            reporter.check(library.lb_create_cuda_batch(device._handle, model._handle,  # type: ignore[union-attr]
                                                        ctypes.byref(options), reporter.address, ctypes.byref(handle)))
        self._handle = own(self, handle.value, library.lb_destroy_cuda_batch, device)

    def _load(self, simulation: Any, words: bytes, reporter: Reporter, handle: ctypes.c_void_p) -> None:
        live, frozen = simulation._use(), ctypes.c_void_p()
        options = FreezeOptions(name=b"model", functions=words, number=NUMBERS[self.dtype], language=LANGUAGE,
                                operation_count=OPERATIONS)
        reporter.check(library.lb_freeze_simulation(live.handle, ctypes.byref(options), reporter.address,
                                                    ctypes.byref(frozen)))
        try:
            self.input_count = library.lb_get_frozen_count(frozen, INPUTS)
            self.output_count = library.lb_get_frozen_count(frozen, OUTPUTS)
            reporter.check(library.lb_load_cuda_batch(self.device._handle, frozen, None, reporter.address,
                                                      ctypes.byref(handle)))
        finally:
            library.lb_destroy_frozen(frozen)

    def _take(self, name: str, array: Any, rows: Sequence[int], count: int | None) -> tuple[int, int]:
        address, shape, kind = _describe(array, name)
        count = shape[-1] if count is None and shape else count
        if shape != (*rows, count):
            raise ValueError(f"{name} has shape {shape}, expected {(*rows, 'states' if count is None else count)}")
        if kind != self.dtype.str:
            raise TypeError(f"{name} has numbers of {kind}, expected {self.dtype.str}")
        return address, int(count or 0)

    def _run(self, function: Any, inputs: dict[str, Any], outputs: Sequence[tuple[str, Sequence[int], Any]]) -> list[Any]:
        count: int | None = None
        addresses = []
        for name, array in inputs.items():
            address, count = self._take(name, array, (self.q_count if name == "q" else self.v_count,), count)
            addresses.append(address)
        results = []
        for name, rows, out in outputs:
            out = self.device.empty((*rows, count or 0), self.dtype) if out is None else out
            addresses.append(self._take(name, out, rows, count)[0])
            results.append(out)
        self.device._check(function(self._handle, count, *addresses))
        return results

    def forward(self, q: Any, v: Any, tau: Any, out: Any = None) -> Any:
        """Accelerations of generalized forces; NaN for a state that fails."""
        return self._run(library.lb_compute_forward_dynamics_cuda, {"q": q, "v": v, "tau": tau},
                         [("out", (self.v_count,), out)])[0]

    def inverse(self, q: Any, v: Any, a: Any, out: Any = None) -> Any:
        """Generalized forces that accelerations need."""
        return self._run(library.lb_compute_inverse_dynamics_cuda, {"q": q, "v": v, "a": a},
                         [("out", (self.v_count,), out)])[0]

    def mass_matrix(self, q: Any, out: Any = None) -> Any:
        """Mass matrices, v_count x v_count x states."""
        return self._run(library.lb_compute_mass_matrix_cuda, {"q": q},
                         [("out", (self.v_count, self.v_count), out)])[0]

    def derivatives(self, q: Any, v: Any, tau: Any) -> tuple[Any, Any, Any, Any]:
        """Accelerations, and their derivatives by q, v and tau."""
        n = self.v_count
        outputs = [("a", (n,), None), *[(name, (n, n), None) for name in ("da_dq", "da_dv", "da_dtau")]]
        a, da_dq, da_dv, da_dtau = self._run(library.lb_compute_forward_derivatives_cuda,
                                             {"q": q, "v": v, "tau": tau}, outputs)  # type: ignore[arg-type]
        return a, da_dq, da_dv, da_dtau

    def jacobian(self, function: str, q: Any, out: Any = None) -> Any:
        """Jacobians of a node, 6 x v_count x states; `function` is jacobian_BODY_NODE."""
        def run(handle: Any, count: int, *arrays: int) -> int:
            return library.lb_compute_jacobian_cuda(handle, function.encode(), count, *arrays)
        return self._run(run, {"q": q}, [("out", (6, self.v_count), out)])[0]

    def motion(self, function: str, q: Any, v: Any, out: Any = None) -> Any:
        """Position, quaternion, angular and linear velocity of a node, 13 x states; `function` is motion_BODY_NODE."""
        def run(handle: Any, count: int, *arrays: int) -> int:
            return library.lb_compute_node_motion_cuda(handle, function.encode(), count, *arrays)
        return self._run(run, {"q": q, "v": v}, [("out", (13,), out)])[0]

    def simulate(self, q: Any, v: Any, tau: Any, step: float, steps: int, method: str = "rk4", start: float = 0.0,
                 u: Any = None, latest: float = np.inf, damping: float = 0.8) -> None:
        """Moves `q` and `v` on in place by so many steps of `rk4`, `euler` or `alpha`, from the time `start` on. `tau` is
        constant and added to the forces of a simulation; `u` are its inputs. Forces see no time beyond `latest`."""
        address, count = self._take("q", q, (self.q_count,), None)
        more = [self._take(name, array, (self.v_count,), count)[0] for name, array in (("v", v), ("tau", tau))]
        inputs = self._take("u", u, (self.input_count,), count)[0] if self.input_count else None
        run = CudaRun(method=METHODS[method], start=start, step=step, step_count=steps, latest=latest, damping=damping,
                      tau=more[1], u=inputs)
        self.device._check(library.lb_run_cuda(self._handle, count, ctypes.byref(run), address, more[0]))

    def outputs(self, t: float, q: Any, v: Any, tau: Any, u: Any = None, out: Any = None) -> Any:
        """Outputs of a simulation at the time `t`, outputs x states."""
        count = self._take("q", q, (self.q_count,), None)[1]
        inputs = self._take("u", u, (self.input_count,), count)[0] if self.input_count else None

        def run(handle: Any, states: int, q: int, v: int, tau: int, y: int) -> int:
            return library.lb_compute_outputs_cuda(handle, states, t, q, v, tau, inputs, y)
        return self._run(run, {"q": q, "v": v, "tau": tau}, [("out", (self.output_count,), out)])[0]

    def close_loops(self, q: Any, v: Any, t: float = 0.0) -> None:
        """Puts states back on the closed loops, in place; `t` is for simulations whose loops follow a motion."""
        address, count = self._take("q", q, (self.q_count,), None)
        self.device._check(library.lb_close_loops_cuda(self._handle, count, t, address,
                                                       self._take("v", v, (self.v_count,), count)[0]))

    def check(self) -> None:
        """Waits for the device. Raises an Error if a state failed since the last call: `state` is the first."""
        state = ctypes.c_longlong(-1)
        status = library.lb_get_cuda_failure(self._handle, ctypes.byref(state))
        if status < 0 and state.value >= 0:
            problem = Error(f"state {state.value}: {decode(library.lb_get_status_text(status))}",
                            STATUS_NAMES.get(status, ""))
            problem.state = state.value  # type: ignore[attr-defined]
            raise problem
        self.device._check(status)
