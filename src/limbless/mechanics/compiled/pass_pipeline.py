"""The passes of numba that kernels need, and no others: a fifth of the functions' compile time goes into passes that
find nothing here.

Kernels hold no closures, no `with`, no generators, no array expressions and nothing that numba inlines by itself. Left
out are the passes for these; in numba's words (`DefaultPassBuilder`): with lifting, closures, dynamic raises, inlinable
functions and overloads, `literal_unroll`, array rewrites.
"""

from __future__ import annotations

from typing import Any

from numba.core import typed_passes, untyped_passes
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager

_passes = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.RewriteSemanticConstants,
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


class KernelPipeline(CompilerBase):
    """How a kernel, or a function that one takes in, is compiled."""

    def define_pipelines(self) -> list[Any]:
        manager = PassManager("kernel")
        for each in _passes:
            manager.add_pass(each, each.__doc__ or each.__name__)
        manager.finalize()
        return [manager]
