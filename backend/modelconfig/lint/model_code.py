"""What a Python model's source uses: read from its syntax tree, never executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from backend.contracts.errors import InputError
from backend.modelconfig.lint.rule import ModelCode

MOST_BYTES: Final = 2 * 1024 * 1024
_RELEASE: Final = "TRITONSERVER_REQUEST_RELEASE_"


def read_model_code(path: Path) -> ModelCode:
    """What a model's ``model.py`` uses.

    Raises:
        InputError: if it cannot be read, or is no Python.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(
                f"{path} is far too large for a model's source.",
                next_step="Check the path.",
            )
        source = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"The model's source {path} cannot be read.",
            why=error.strerror or str(error),
            next_step="Check the path and its permissions.",
        ) from error
    return read_model_source(source, str(path))


def read_model_source(source: str | bytes, file: str = "model.py") -> ModelCode:
    """What a model's source uses.

    Raises:
        InputError: if it is no Python of this interpreter's version.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        raise InputError(
            f"The model's source {file} is no valid Python.",
            why=str(error)[:200],
            next_step="Correct it; Triton's stub would fail in the same place.",
            file=file,
            line=line,
        ) from error
    constants = _constants(tree)
    inputs, complete_inputs = _names(_input_names(tree), constants)
    outputs, complete_outputs = _names(_output_names(tree), constants)
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return ModelCode(
        file=file,
        inputs=inputs,
        outputs=outputs,
        # request.inputs() hands out every tensor without naming one
        complete_inputs=complete_inputs and "inputs" not in _called(tree),
        complete_outputs=complete_outputs,
        reads_correlation_id="correlation_id" in used,
        # other things have flags too, such as arrays; only a request's are a method
        reads_flags="flags" in _called(tree),
        sets_reschedule="set_release_flags" in used and _reschedules(tree),
        sets_dynamic_batching="set_dynamic_batching" in used,
    )


def _called(tree: ast.AST) -> set[str]:
    """Names of methods that are called without arguments, as in ``request.inputs()``."""
    return {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and not node.args
        and not node.keywords
    }


def _reschedules(tree: ast.AST) -> bool:
    """Whether some request may be given back: ``RELEASE_ALL`` alone, by its name, lets it go."""
    names = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name)
    }
    return f"{_RELEASE}RESCHEDULE" in names or f"{_RELEASE}ALL" not in names


def _input_names(tree: ast.AST) -> Iterator[tuple[ast.expr | None, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _function(node) == "get_input_tensor_by_name":
            yield (node.args[-1] if node.args else None), node.lineno


def _output_names(tree: ast.AST) -> Iterator[tuple[ast.expr | None, int]]:
    """Names of tensors that are made for a reply.

    A model that asks other models (BLS) makes tensors for its requests too: where such a request is
    built in the source, only tensors that stand inside a reply's own call are known to be outputs.
    """
    asks = any(_function(node) == "InferenceRequest" for node in _calls(tree))
    roots = [node for node in _calls(tree) if _function(node) == "InferenceResponse"]
    if asks:
        # others may be outputs that were given a name first: nothing is said to be complete
        yield None, 0
    for root in roots if asks else [tree]:
        yield from _made(root)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _made(tree: ast.AST) -> Iterator[tuple[ast.expr | None, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (
            _function(node) == "Tensor"
            or (
                _function(node) == "from_dlpack"
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Attribute)
                and node.func.value.attr == "Tensor"
            )
        ):
            yield (node.args[0] if node.args else None), node.lineno  # fmt: skip


def _function(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _constants(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """Texts, and tuples of texts, bound once to a name in the module or a class."""
    found: dict[str, tuple[str, ...]] = {}
    bound: dict[str, int] = {}
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign):
            targets, value = [node.target], node.value
        elif isinstance(node, ast.For | ast.comprehension):
            targets, value = [node.target], node.iter
        for target in targets:
            name = _bound_name(target)
            if name is None:
                continue
            bound[name] = bound.get(name, 0) + 1
            texts = _texts(value, found) if value is not None else None
            if texts is not None:
                found[name] = texts
    return {name: texts for name, texts in found.items() if bound[name] == 1}


def _bound_name(target: ast.expr) -> str | None:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute):
        return target.attr
    return None


def _texts(value: ast.expr, known: dict[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """The texts that an expression can be; null where it is computed."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return (value.value,)
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        parts = [_texts(item, known) for item in value.elts]
        if all(part is not None for part in parts):
            return tuple(text for part in parts for text in part or ())
        return None
    if isinstance(value, ast.Name):
        return known.get(value.id)
    if isinstance(value, ast.Attribute):
        return known.get(value.attr)
    return None


def _names(
    found: Iterator[tuple[ast.expr | None, int]], constants: dict[str, tuple[str, ...]]
) -> tuple[tuple[tuple[str, int], ...], bool]:
    """Names with their lines, and whether every name is plain text."""
    names: dict[str, int] = {}
    complete = True
    for expression, line in found:
        texts = _texts(expression, constants) if expression is not None else None
        if texts is None:
            complete = False
            continue
        for text in texts:
            names.setdefault(text, line)
    return tuple(names.items()), complete
