"""The layout keeps its promises: boundaries listed, small modules, links that resolve."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = sorted(path.parent for path in (ROOT / "backend").glob("*/__init__.py"))
SOURCES = sorted(
    path
    for folder in ("backend", "pages", "benchmarks", "scripts", "tests", "model_templates")
    for path in (ROOT / folder).rglob("*.py")
) + [path for path in [ROOT / "app.py"] if path.exists()]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PROGRAM = [path for path in SOURCES if "tests" not in path.relative_to(ROOT).parts]


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("package", PACKAGES, ids=_name)
def test_every_package_stands_in_the_import_contracts(package: Path) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    protected = {
        module
        for contract in settings["tool"]["importlinter"]["contracts"]
        for module in contract.get("protected_modules", ())
    }
    # contracts may be imported by all
    assert package.name == "contracts" or f"backend.{package.name}" in protected


@pytest.mark.parametrize("package", PACKAGES, ids=_name)
def test_a_package_says_what_it_is_for_and_exports_what_it_names(package: Path) -> None:
    module = importlib.import_module(f"backend.{package.name}")
    assert module.__doc__, "a package opens with what it is for"
    for name in getattr(module, "__all__", ()):
        assert hasattr(module, name), f"backend.{package.name}.__all__ names {name}"


@pytest.mark.parametrize("path", PROGRAM, ids=_name)
def test_a_module_has_one_noun_and_a_readable_size(path: Path) -> None:
    assert path.stem not in {"utils", "util", "helpers", "helper", "common", "shared", "misc"}
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


def test_models_run_without_the_console() -> None:
    for path in (ROOT / "model_templates").rglob("*.py"):
        inside = {name for name in _imports(path) if name.split(".")[0] in {"backend", "pages"}}
        assert not inside, f"{_name(path)} runs inside Triton and imports {inside}"


def test_the_entry_knows_no_server_engine_or_database() -> None:
    entry = ROOT / "app.py"
    if entry.exists():
        names = {name.split(".")[0] for name in _imports(entry)}
        assert not names & {"tritonclient", "grpc", "docker", "sqlalchemy", "sqlite3", "psycopg"}


def test_nothing_is_left_open() -> None:
    word = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|NotImplemented" r"Error)\b")
    files = [*SOURCES, *DOCUMENTS, ROOT / "Makefile", ROOT / "pyproject.toml"]
    open_places = [
        f"{_name(path)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if word.search(line)
    ]
    assert not open_places


def _anchors(document: Path) -> set[str]:
    """The fragments that headings of a document answer to, as GitHub makes them."""
    headings = re.findall(r"^#{1,6}\s+(.+?)\s*$", document.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_links_of_documents_resolve(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.S)
    broken = []
    for target in re.findall(r"!?\[[^\]]*\]\(([^)\s]+)[^)]*\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        place = (document.parent / name).resolve() if name else document
        known = place.suffix != ".md" or not fragment
        if not place.exists() or not (known or fragment in _anchors(place)):
            broken.append(target)
    assert not broken
