"""An inlined function is not compiled on its own: it stays LLVM code until a kernel takes it in.

numba optimises every function on its own and makes machine code of it, with all it calls, although an inlined function only ever runs
inside a kernel, where both happen again: a quarter of the time of a first run. Here a kernel links each inlined function it needs once and
optimises them together. What comes out is as fast (measured), and what is cached on disk are kernels, as before.

It replaces two methods of numba that are not part of its interface. Should a numba not have them, nothing is changed, and kernels only
take longer to compile; LIMBLESS_INLINING=plain asks for that. Tests hold the equality of results with and without, and fail on a numba
that has lost the two methods.
"""
from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core import codegen, cpu


def _is_inlined(module: Any) -> bool:
    """Whether all functions that a module defines are marked as always inlined."""
    own = [function for function in module.functions if not function.is_declaration]
    return bool(own) and all(b"alwaysinline" in b" ".join(function.attributes) for function in own)


def _all_needed(libraries: list) -> list:
    """Libraries and all that the inlined ones among them need, each after everything that uses it.

    LLVM drops what nothing uses yet as it links: a library before its last user would be lost where its first one is not needed.
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
    wanted = ((library, "finalize"), (library, "_ensure_finalized"), (context, "get_executable"), (_dynfunc, "make_function"))
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
            self._linking_libraries = _all_needed(self._linking_libraries)
            finalize(self)

    def get_executable(self: Any, library: Any, fndesc: Any, env: Any) -> Any:
        library._ensure_finalized()
        if not library.spared:
            return executable(self, library, fndesc, env)
        return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname.split(".")[-1], "inlined", 0, env, (library,))

    library_class.spared = False
    library_class.finalize, context_class.get_executable = finalize_kernel, get_executable
    return True
