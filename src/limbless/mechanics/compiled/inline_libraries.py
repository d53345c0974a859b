"""An inlined function is not compiled on its own, and a kernel is compiled once.

numba optimises every function on its own and makes machine code of it, with all it calls, although an inlined function
only ever runs inside a kernel, where both happen again; and it takes a kernel into every kernel that calls it, where it
is optimised and made machine code of once more, at every level. Here a kernel takes in each inlined function it needs
once, and calls other kernels where they are. On disk a kernel names those that it calls, and they are loaded before it.
What comes out is as fast (measured), in less than half of the time.

It replaces methods of numba that are not part of its interface. Should a numba not have them, nothing is changed, and
kernels only take longer to compile; LIMBLESS_INLINING=plain asks for that. Tests hold the equality of results with and
without, and fail on a numba that has lost the methods.
"""

from __future__ import annotations

import sys
from functools import partial
from hashlib import sha256
from importlib import import_module
from typing import Any, NamedTuple

from numba import _dynfunc
from numba.core import bytecode, codegen, cpu


class Code(NamedTuple):
    """A kernel for certain types, as machine code: where its function is, for which types, and the name of the code."""

    module: str
    name: str
    types: tuple
    symbol: str


class OtherCode(Exception):
    """A kernel on disk calls code that another process has replaced since."""


_kernels: dict[Any, None] = {}  # code objects of all functions that are kernels


def is_kernel(function: Any) -> None:
    """Note that a function is a kernel: its machine code has the same name in every process."""
    _kernels[function.__code__] = None


def note_code(dispatcher: Any, result: Any) -> None:
    """Note which kernel a library of code belongs to, if other processes find that kernel by its name."""
    function = dispatcher.py_func
    if getattr(sys.modules.get(function.__module__), function.__name__, None) is dispatcher:
        found = Code(function.__module__, function.__name__, tuple(result.signature.args), result.fndesc.mangled_name)
        result.library.code = found


def load_code(code: Code) -> None:
    """Before machine code that calls it is loaded: load it, or compile it."""
    dispatcher = getattr(import_module(code.module), code.name)
    dispatcher.compile(code.types)
    if dispatcher.overloads[code.types].fndesc.mangled_name != code.symbol:
        raise OtherCode(code.symbol)


def _is_inlined(module: Any) -> bool:
    """Whether all functions that a module defines are marked as always inlined."""
    own = [function for function in module.functions if not function.is_declaration]
    return bool(own) and all(b"alwaysinline" in b" ".join(function.attributes) for function in own)


def _all_needed(libraries: list) -> list:
    """Libraries and all that the inlined ones among them need, each after everything that uses it.

    LLVM drops what nothing uses yet as it links: a library before its last user would be lost where its first one is
    not needed.
    """
    found: dict[Any, None] = {}

    def visit(wanted: list) -> None:
        for library in reversed(wanted):
            if library not in found and library not in open_now:
                open_now.add(library)
                if library.spared:
                    visit(library._linking_libraries)
                found[library] = None

    open_now: set = set()
    visit(libraries)
    return list(reversed(found))


def can_spare() -> bool:
    """Whether this numba has what `spare_inlined` replaces and relies on."""
    library, context = getattr(codegen, "JITCodeLibrary", None), getattr(cpu, "CPUContext", None)
    identity = getattr(bytecode, "FunctionIdentity", None)
    wanted = (
        (library, "finalize"),
        (library, "_ensure_finalized"),
        (context, "get_executable"),
        (_dynfunc, "make_function"),
        (identity, "from_function"),
    )
    return all(hasattr(owner, name) for owner, name in wanted)


def spare_inlined() -> bool:
    """Change numba, once. Returns whether it was possible; if not, kernels only take longer to compile."""
    if not can_spare():
        return False
    library_class: Any = codegen.JITCodeLibrary
    context_class: Any = cpu.CPUContext
    if hasattr(library_class, "spared"):
        return True
    finalize, executable = library_class.finalize, context_class.get_executable

    def finalize_kernel(self: Any) -> None:
        self.spared = _is_inlined(self._final_module)
        if self.spared:
            self._finalized = True
        else:
            needed = _all_needed(self._linking_libraries)
            self._linking_libraries = [library for library in needed if library.code is None]
            finalize(self)
            self._reload_init.update(partial(load_code, library.code) for library in needed if library.code is not None)

    def get_executable(self: Any, library: Any, fndesc: Any, env: Any) -> Any:
        library._ensure_finalized()
        if not library.spared:
            return executable(self, library, fndesc, env)
        return _dynfunc.make_function(
            fndesc.lookup_module(), fndesc.qualname.split(".")[-1], "inlined", 0, env, (library,)
        )

    optimise = library_class._optimize_functions

    def optimise_kernel(self: Any, module: Any) -> None:
        if _is_inlined(module):  # the kernel that takes it in does it
            module.data_layout = self._codegen._data_layout
        else:
            optimise(self, module)

    identity: Any = bytecode.FunctionIdentity
    made = identity.from_function.__func__

    def from_function(cls: Any, function: Any) -> Any:
        found = made(cls, function)
        if found.code in _kernels:  # numba counts functions, in the order in which a process needs them
            digits = sha256(f"{found.modname}.{found.func_qualname}".encode()).hexdigest()[:12]
            found.unique_id = int(digits, 16)
            found.unique_name = f"{found.func_qualname}${digits}"
        return found

    identity.from_function = classmethod(from_function)
    library_class.spared, library_class.code = False, None
    library_class._optimize_functions = optimise_kernel
    library_class.finalize, context_class.get_executable = finalize_kernel, get_executable
    return True
