"""How functions of this package are compiled: in less than half of the time that numba takes as it is.

- An inlined function is not compiled on its own, and a kernel is compiled once. numba optimises every function on its
  own and makes machine code of it, with all it calls, although an inlined function only ever runs inside a kernel,
  where both happen again; and it takes a kernel into every kernel that calls it. Here a kernel takes in each inlined
  function once, and calls other kernels where they are. On disk it names those that it calls; they are loaded first.
- Only the passes that kernels need are run.
- An operator between the same types is looked up once.

`KernelPipeline` is an option of our own functions. What no option reaches is replaced by `patched_numba`, while a
kernel of ours is compiled, under numba's lock. Functions of others are compiled by numba as it is. A numba that is not
listed compiles ours as it is too; LIMBLESS_INLINING=plain asks for that. Tests hold the equality of results.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numba
from numba import _dynfunc
from numba.core import codegen, typed_passes, types, untyped_passes
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager

from limbless.core import gc_paused
from limbless.mechanics.compiled.none_pruning import AnswerIsNone

VERSIONS = ((0, 68),)
"""The versions of numba that this module was tried with."""

PATCHED = numba.version_info.short in VERSIONS and os.environ.get("LIMBLESS_INLINING") != "plain"

# ------------------------------------------------------------------------------------------- code that kernels share


class OtherCode(Exception):
    """A kernel on disk calls code that another process has replaced since."""


class Code(NamedTuple):
    """A kernel for certain types, as machine code: where its function is, for which types, and the name of the code."""

    module: str
    name: str
    types: tuple
    symbol: str

    def __call__(self) -> None:
        """Before machine code that calls it is loaded: load it, or compile it."""
        dispatcher = getattr(import_module(self.module), self.name)
        dispatcher.compile(self.types)
        if dispatcher.overloads[self.types].fndesc.mangled_name != self.symbol:
            raise OtherCode(self.symbol)


_kernels: set[Any] = set()  # code objects of all functions that are kernels


def note_kernel(function: Any) -> None:
    """Note that a function is a kernel: its machine code has the same name in every process."""
    _kernels.add(function.__code__)


def note_code(dispatcher: Any, result: Any) -> None:
    """Note which kernel a library of code belongs to, if other processes find that kernel by its name."""
    function = dispatcher.py_func
    if getattr(sys.modules.get(function.__module__), function.__name__, None) is dispatcher:
        found = Code(function.__module__, function.__name__, tuple(result.signature.args), result.fndesc.mangled_name)
        result.library.code = found


def _code_of(library: Any) -> Code | None:
    return getattr(library, "code", None)


def _is_inlined(module: Any) -> bool:
    """Whether all functions that a module defines are marked as always inlined."""
    own = [function for function in module.functions if not function.is_declaration]
    return bool(own) and all(b"alwaysinline" in b" ".join(function.attributes) for function in own)


def all_needed(libraries: list) -> list:
    """Libraries and all that the inlined ones among them need, each after everything that uses it.

    LLVM drops what nothing uses yet as it links: a library before its last user would be lost where its first one is
    not needed.
    """
    found: dict[Any, None] = {}

    def visit(wanted: list) -> None:
        for library in reversed(wanted):
            if library not in found and library not in open_now:
                open_now.add(library)
                if getattr(library, "inlined", False):
                    visit(library._linking_libraries)
                found[library] = None

    open_now: set = set()
    visit(libraries)
    return list(reversed(found))


class _Alone:
    """A library as a kernel links it: without what its function calls, which the kernel links once."""

    def __init__(self, library: Any) -> None:
        self._reload_init = library._reload_init
        self._get_module_for_linking = partial(codegen.JITCodeLibrary._get_module_for_linking, library)


class KernelLibrary(codegen.JITCodeLibrary):
    """The code of a function of ours: an inlined one is left as it is, any other takes in all inlined ones."""

    inlined = False
    _whole: Any = None
    _linking_libraries: Any

    def _optimize_functions(self, module: Any) -> None:
        if _is_inlined(module):  # the kernel that takes it in does it
            module.data_layout = self._codegen._data_layout
        else:
            super()._optimize_functions(module)

    def finalize(self) -> None:
        for library in self._linking_libraries:
            code = _code_of(library)
            self._reload_init.update(library._reload_init if code is None else {code})
        self.inlined = _is_inlined(self._final_module)
        if self.inlined:
            self._finalized = True
            return
        needed = all_needed(self._linking_libraries)
        self._linking_libraries = [_Alone(library) for library in needed if _code_of(library) is None]
        super().finalize()

    def _get_module_for_linking(self) -> Any:
        """As numba links it into a function of a user's own: an inlined function comes with all that it calls."""
        if not self.inlined:
            return super()._get_module_for_linking()
        if self._whole is None:
            self._whole = super()._get_module_for_linking().clone()
            for library in all_needed(self._linking_libraries):
                self._whole.link_in(_Alone(library)._get_module_for_linking(), preserve=True)
        return self._whole


# ------------------------------------------------------------------------------------------------ how one is compiled

# Kernels hold no closures, no `with`, no generators, no array expressions and nothing that numba inlines by itself.
# Left out of `DefaultPassBuilder` are the passes for these: a fifth of the compile time
_passes = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.RewriteSemanticConstants,
    AnswerIsNone,
    untyped_passes.DeadBranchPrune,
    untyped_passes.GenericRewrites,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.NoPythonSupportedFeatureValidation,
    typed_passes.IRLegalization,
    typed_passes.AnnotateTypes,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)


def _get_executable(context: Any, library: Any, fndesc: Any, env: Any) -> Any:
    """What numba keeps of a compiled function; Python has no way into an inlined one."""
    library._ensure_finalized()
    if not getattr(library, "inlined", False):
        return type(context).get_executable(context, library, fndesc, env)
    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname.split(".")[-1], "inlined", 0, env, (library,))


class KernelPipeline(CompilerBase):
    """How a kernel, or a function that one takes in, is compiled."""

    def define_pipelines(self) -> list[Any]:
        manager = PassManager("kernel")
        for each in _passes:
            manager.add_pass(each, each.__doc__ or each.__name__)
        manager.finalize()
        return [manager]

    def _compile_bytecode(self) -> Any:
        function, context = self.state.func_id, self.state.targetctx  # a context of this function's own
        if function.code in _kernels:  # numba counts functions, in the order in which a process needs them
            digits = sha256(f"{function.modname}.{function.func_qualname}".encode()).hexdigest()[:12]
            function.unique_id, function.unique_name = int(digits, 16), f"{function.func_qualname}${digits}"
        context.get_executable = partial(_get_executable, context)
        self.state.library = KernelLibrary(context.codegen(), function.func_qualname)
        self.state.library.enable_object_caching()
        return super()._compile_bytecode()


# --------------------------------------------------------------------------------------- what is replaced meanwhile

_operators = frozenset(
    (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.iadd, operator.isub)
    + (operator.imul, operator.getitem, operator.setitem, operator.eq, operator.ne, operator.lt, operator.le)
    + (operator.gt, operator.ge, len, bool)
)


def _remembering(find: Any) -> Any:
    """`Function.get_call_type` that asks once for every operator and types.

    numba asks a dozen candidates (lists, strings, sets, dates, ..) what `a + b` is before it comes to numbers, for
    every plus sign of every function, and keeps a sentence for each that declined: a tenth of a kernel's compile time.
    """
    answers: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: tuple, kws: Any) -> Any:
        if kws or self.typing_key not in _operators:
            return find(self, context, args, kws)
        key = (self, args)  # a function that learns a type is another one
        if key not in answers:
            answers[key] = find(self, context, args, kws)
        return answers[key]

    return get_call_type


def _find_scipy() -> None:
    if find_spec("scipy") is None:
        raise ImportError("scipy is required for linear algebra")


_open: list[None] = []  # one entry while numba is patched


@contextmanager
def patched_numba() -> Iterator[None]:
    """Around the compilation of a kernel: nobody else compiles inside, and numba is as it was afterwards.

    Before its first kernel numba imports `scipy.linalg`, and with it NumPy's Fortran and test tools, to learn whether
    BLAS is there: a quarter of a second. Kernels call no BLAS: that SciPy is installed answers the question.
    """
    with gc_paused(), global_compiler_lock:
        if not PATCHED or _open:
            yield
            return
        _open.append(None)
        find = types.Function.get_call_type
        try:
            if "numba.np.arraymath" not in sys.modules:
                from numba.np import linalg

                ensure_blas = linalg.ensure_blas
                linalg.ensure_blas = _find_scipy
                try:
                    from numba.np import arraymath

                    arraymath.ensure_blas = ensure_blas
                finally:
                    linalg.ensure_blas = ensure_blas
            types.Function.get_call_type = _remembering(find)  # type: ignore[method-assign]
            yield
        finally:
            types.Function.get_call_type = find  # type: ignore[method-assign]
            _open.pop()
