"""xacro -> the text of a URDF, through the xacro package, with an evaluator that runs no code.

The package gives expressions to Python's `eval`, and a lambda or an attribute leads from there to anything. Here an
expression knows numbers, text, lists, the properties and arguments of the file, arithmetic, comparisons and the
functions of `math`, and nothing else. Counts bound how far macros may expand.
"""

from __future__ import annotations

import ast
import math
import operator
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from limbless.core import InputError
from limbless.interop.robots.xml_text import read, refuse_entities

MOST_TEXT = 4_000_000  # characters of one expanded text
MOST_EXPANSIONS = 200_000  # texts, elements and files
MOST_TOGETHER = 50_000_000  # characters of all texts that were expanded and all files that were read
_changing = threading.Lock()

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, many: item in many,
    ast.NotIn: lambda item, many: item not in many,
}
_ENDLESS = ("factorial", "perm", "comb")  # their answers may fill the memory
_FUNCTIONS: dict[str, Any] = {
    name: value for name, value in vars(math).items() if not name.startswith("_") and name not in _ENDLESS
}
_FUNCTIONS |= {f.__name__: f for f in (abs, bool, float, int, len, max, min, round, str, sum)}
_PLAIN = (bool, int, float, str, list, tuple, dict, type(None))


def expanded(path: Path) -> str:
    """A xacro file with its commands carried out. Its includes are found beside it."""
    read(path)  # what keeps it from being read is said in our words
    try:
        import xacro
    except ImportError:
        raise InputError(".xacro needs the extra robots: pip install 'limbless[robots]'") from None
    try:
        with _changing, _without_code(xacro):
            return str(xacro.process_file(str(path)).toxml())
    except SystemExit as error:
        raise InputError(f"xacro cannot carry it out (exit {error.code})") from None
    except InputError:
        raise
    except Exception as error:  # a macro language: whatever its expressions raise
        raise InputError(f"xacro cannot carry it out: {type(error).__name__}: {' '.join(str(error).split())}") from None


@contextmanager
def _without_code(xacro: Any) -> Iterator[None]:
    """The package evaluates by `evaluate`, in `${..}` and in `$(eval ..)`, and counts what it expands and reads."""
    from xacro import substitution_args

    text_of, all_of, document_of = xacro.eval_text, xacro.eval_all, xacro.parse
    things, letters = [MOST_EXPANSIONS], [MOST_TOGETHER]

    def count(size: int) -> None:
        things[0] -= 1
        letters[0] -= size
        if things[0] < 0 or letters[0] < 0 or size > MOST_TEXT:
            raise InputError(
                f"its macros expand to more than {MOST_EXPANSIONS:,} texts and elements, to {MOST_TOGETHER:,} "
                f"characters, or to a text of more than {MOST_TEXT:,}; expand it with xacro yourself, and give the URDF"
            )

    def bounded_text(text: str, symbols: Any) -> Any:
        value = text_of(text, symbols)
        count(len(value) if isinstance(value, str) else 0)
        return value

    def bounded_elements(node: Any, macros: Any, symbols: Any) -> None:
        count(0)
        all_of(node, macros, symbols)

    def bounded_file(text: Any, filename: str | None = None) -> Any:
        if text is None and filename is not None:
            text = read(Path(xacro.root_dir, filename))
            letters[0] -= len(text)
            count(0)
            refuse_entities(text, Path(filename).name)
        return document_of(text, filename)

    def with_arguments(text: str, context: Mapping[str, Any]) -> Any:
        return evaluate(text, context.get("arg", {}))

    def with_symbols(text: str, symbols: Any, _: Any = None) -> Any:
        return evaluate(text, symbols)

    changed = [
        (xacro, "safe_eval", with_symbols),
        (xacro, "eval_text", bounded_text),
        (xacro, "eval_all", bounded_elements),
        (xacro, "parse", bounded_file),
        (substitution_args, "_eval", with_arguments),
    ]
    with ExitStack() as after:
        for module, name, ours in changed:
            after.callback(setattr, module, name, getattr(module, name))
            setattr(module, name, ours)
        yield


def evaluate(text: str, names: Any) -> Any:
    """The value of an expression: numbers, text, lists, `names` that hold such, arithmetic, and functions of `math`."""
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, names)
    except (SyntaxError, RecursionError, MemoryError):
        raise InputError(f"the expression {text.strip()[:80]!r} is none that xacro files may use") from None


def _value(node: ast.AST, names: Any) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, _PLAIN):
        return node.value
    if isinstance(node, ast.Name):
        return _named(node.id, names)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item, names) for item in node.elts]
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.operand, names))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _arithmetic(node.op, _value(node.left, names), _value(node.right, names))
    if isinstance(node, ast.BoolOp):
        for item in node.values:
            last = _value(item, names)
            if bool(last) is isinstance(node.op, ast.Or):
                break
        return last
    if isinstance(node, ast.Compare) and all(type(op) in _OPERATORS for op in node.ops):
        sides = [_value(item, names) for item in (node.left, *node.comparators)]
        return all(_OPERATORS[type(op)](*pair) for op, pair in zip(node.ops, pairwise(sides), strict=True))
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, names) else node.orelse, names)
    if isinstance(node, ast.Subscript):
        return _plain(_value(node.value, names)[_value(node.slice, names)])
    if isinstance(node, ast.Attribute):
        return _attribute(node, names)
    if isinstance(node, ast.Call) and not node.keywords:
        return _plain(_function(node.func)(*(_value(item, names) for item in node.args)))
    raise InputError(
        f"an expression holds {ast.unparse(node)[:80]!r}: xacro files may calculate with numbers and names"
    )


def _named(name: str, names: Any) -> Any:
    if name in names:
        return _plain(names[name])
    if isinstance(_FUNCTIONS.get(name), float):  # pi, e, inf
        return _FUNCTIONS[name]
    raise InputError(f"nothing in the file is called {name!r}")


def _attribute(node: ast.Attribute, names: Any) -> Any:
    """`math.pi`, or an entry of a mapping."""
    if isinstance(node.value, ast.Name) and node.value.id == "math" and isinstance(_FUNCTIONS.get(node.attr), float):
        return _FUNCTIONS[node.attr]
    of = _value(node.value, names)
    if isinstance(of, Mapping) and node.attr in of:
        return _plain(of[node.attr])
    raise InputError(f"an expression holds {ast.unparse(node)[:80]!r}, which is no number of the file")


def _function(node: ast.AST) -> Callable[..., Any]:
    of = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("math", "python")
    name = node.attr if of and isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    function = _FUNCTIONS.get(name)
    if not callable(function):
        raise InputError(f"an expression calls {ast.unparse(node)[:80]!r}: only functions of `math` may be called")
    return function


def _arithmetic(op: ast.AST, left: Any, right: Any) -> Any:
    """Refused, or done with floats, where the answer would fill the memory: texts and powers."""
    texts = [side for side in (left, right) if isinstance(side, str | list)]
    if texts:
        count = right if texts[0] is left else left
        size = sum(map(len, texts)) * (count if isinstance(count, int) else 1)
        if not isinstance(op, ast.Add | ast.Mult) or size > MOST_TEXT:
            raise InputError(f"an expression does with text what none may, or makes more than {MOST_TEXT:,} characters")
    if isinstance(op, ast.Pow) and isinstance(left, int) and isinstance(right, int):
        left = left if left.bit_length() * right < 1024 else float(left)
    return _OPERATORS[type(op)](left, right)


def _plain(value: Any) -> Any:
    if not isinstance(value, _PLAIN):
        raise InputError(f"a name of the file stands for a {type(value).__name__}; expressions take numbers and text")
    return value
