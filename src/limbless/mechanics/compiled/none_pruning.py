"""What a problem does not have is `None`, and a function asks `if problem.memory.totals is None`.

The answer stands in the types, so that the branch that is not taken is never typed. numba knows that of arguments
alone; the pass of this module knows it of their fields too.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import ir, types, untyped_passes
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import get_definition, guard

_answers = {operator.is_: True, operator.is_not: False}


def _type_of(func_ir: Any, arguments: Any, variable: Any) -> Any:
    """The type of an argument, or of a field of one (of a field ..); None if it is something else."""
    source = guard(get_definition, func_ir, variable)
    if isinstance(source, ir.Arg):
        return arguments[source.index]
    if isinstance(source, ir.Expr) and source.op == "getattr":
        whole = _type_of(func_ir, arguments, source.value)
        if isinstance(whole, types.BaseNamedTuple) and source.attr in whole.fields:
            return whole.types[whole.fields.index(source.attr)]
    return None


@register_pass(mutates_CFG=False, analysis_only=False)
class AnswerIsNone(FunctionPass):
    """`thing is None` becomes true or false, where `thing` is an argument or a field of one."""

    _name = "limbless_answer_is_none"

    def __init__(self) -> None:
        """numba's own is abstract."""

    def run_pass(self, state: Any) -> bool:
        definitions = state.func_ir._definitions
        for block in state.func_ir.blocks.values():
            for statement in block.find_insts(ir.Assign):
                asked = statement.value
                if not (isinstance(asked, ir.Expr) and asked.op == "binop" and asked.fn in _answers):
                    continue
                with_none = guard(get_definition, state.func_ir, asked.rhs)
                found = _type_of(state.func_ir, state.args, asked.lhs)
                if found is None or not isinstance(with_none, ir.Const) or with_none.value is not None:
                    continue
                statement.value = ir.Const(isinstance(found, types.NoneType) == _answers[asked.fn], statement.loc)
                known = definitions[statement.target.name]
                known[known.index(asked)] = statement.value
        return True


class PlainPipeline(CompilerBase):
    """numba's own passes, and ours: for a numba that `numba_patches` does not list."""

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(AnswerIsNone, untyped_passes.RewriteSemanticConstants)
        manager.finalize()
        return [manager]
