"""The linter: reads a file, asks every rule, gives findings in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from backend.modelconfig.backends import BACKEND_OF
from backend.modelconfig.lint.code_rules import RULES as CODE_RULES
from backend.modelconfig.lint.finding import Finding
from backend.modelconfig.lint.reading import Reading, read_configuration
from backend.modelconfig.lint.reading_rules import READING_RULES, ReadingRule
from backend.modelconfig.lint.refused_controls import RULES as REFUSED_CONTROLS
from backend.modelconfig.lint.refused_ensemble import RULES as REFUSED_ENSEMBLE
from backend.modelconfig.lint.refused_files import RULES as REFUSED_FILES
from backend.modelconfig.lint.refused_groups import RULES as REFUSED_GROUPS
from backend.modelconfig.lint.refused_metrics import RULES as REFUSED_METRICS
from backend.modelconfig.lint.refused_model import RULES as REFUSED_MODEL
from backend.modelconfig.lint.refused_scheduling import RULES as REFUSED_SCHEDULING
from backend.modelconfig.lint.refused_start import RULES as REFUSED_START
from backend.modelconfig.lint.refused_state import RULES as REFUSED_STATE
from backend.modelconfig.lint.refused_tensors import RULES as REFUSED_TENSORS
from backend.modelconfig.lint.release import EMBEDDED, Release
from backend.modelconfig.lint.release_defects import RULES as RELEASE_DEFECTS
from backend.modelconfig.lint.release_fields import RULES as RELEASE_FIELDS
from backend.modelconfig.lint.rule import Context, Hit, LintRule, ModelCode
from backend.modelconfig.lint.stand_ins import variants
from backend.modelconfig.lint.warning_controls import RULES as WARNING_CONTROLS
from backend.modelconfig.lint.warning_dynamic import RULES as WARNING_DYNAMIC
from backend.modelconfig.lint.warning_files import RULES as WARNING_FILES
from backend.modelconfig.lint.warning_model import RULES as WARNING_MODEL
from backend.modelconfig.lint.warning_sequence import RULES as WARNING_SEQUENCE
from backend.modelconfig.lint.warning_state import RULES as WARNING_STATE
from backend.modelconfig.lint.watched import Gaps, settled_hits
from backend.modelconfig.lint.workload_load_rules import RULES as WORKLOAD_LOAD_RULES
from backend.modelconfig.lint.workload_rules import RULES as WORKLOAD_RULES
from backend.workload.study import TrafficClass

REFUSED: Final[tuple[LintRule, ...]] = (
    *REFUSED_MODEL,
    *REFUSED_TENSORS,
    *REFUSED_SCHEDULING,
    *REFUSED_CONTROLS,
    *REFUSED_STATE,
    *REFUSED_ENSEMBLE,
    *REFUSED_GROUPS,
    *REFUSED_METRICS,
    *REFUSED_START,
    *REFUSED_FILES,
)
"""What Triton does not load, or what ends it when it is used."""

RULES: Final[tuple[LintRule, ...]] = (
    *REFUSED,
    *RELEASE_FIELDS,
    *RELEASE_DEFECTS,
    *WARNING_MODEL,
    *WARNING_FILES,
    *WARNING_DYNAMIC,
    *WARNING_SEQUENCE,
    *WARNING_CONTROLS,
    *WARNING_STATE,
    *WORKLOAD_RULES,
    *WORKLOAD_LOAD_RULES,
    *CODE_RULES,
)
"""Every rule that looks at a configuration; ``READING_RULES`` speak of files that are none."""
_NONE: Final = Gaps()


def lint_text(
    data: str | bytes,
    *,
    release: Release = EMBEDDED,
    backend: str = "",
    folder: str | None = None,
    item: TrafficClass | None = None,
    code: ModelCode | None = None,
    files: Mapping[str, int] | None = None,
    gpus: bool | None = None,
    file: str = "",
) -> tuple[Finding, ...]:
    """All findings on a file's contents, in the order of the file.

    Args:
        data: Text form, JSON of the configuration endpoint, or anything else; it never raises.
        release: The release that is to load it.
        backend: The backend, where the file names none.
        folder: Name of the model's folder, where it is known.
        item: The class of traffic that the model is to serve.
        code: What the Python model's source uses.
        files: Bytes of every file in the model's folder, by path from there.
        gpus: Whether the machine that is to load it has a GPU.
        file: Its name, where it has one: Triton reads the text form only from ``config.pbtxt``.
    """
    return lint_reading(
        read_configuration(data),
        release=release,
        backend=backend,
        folder=folder,
        item=item,
        code=code,
        files=files,
        gpus=gpus,
        file=file,
    )


def lint_reading(
    reading: Reading,
    *,
    release: Release = EMBEDDED,
    backend: str = "",
    folder: str | None = None,
    item: TrafficClass | None = None,
    code: ModelCode | None = None,
    files: Mapping[str, int] | None = None,
    gpus: bool | None = None,
    file: str = "",
) -> tuple[Finding, ...]:
    """As ``lint_text``, on what was read already."""
    found = [_read(READING_RULES[item.rule], item.what, item.fix, item.line, item.column, item.path)
             for item in reading.troubles]  # fmt: skip
    if reading.form == "json" and file.endswith(".pbtxt"):
        what = "The file holds JSON; Triton's own file is protobuf's text format."
        fix = 'Write it as name: "value", section { … }. The load call of Triton\'s API takes JSON.'
        found.append(_read(READING_RULES["json-in-pbtxt"], what, fix, 1, 1, ""))
    for hole in reading.holes:
        what = f"A placeholder of a template stands here: {hole.text[:60]}"
        fix = "Fill the template in; what does not depend on its value is checked already."
        found.append(_read(READING_RULES["placeholder"], what, fix, hole.line, hole.column,
                           hole.path))  # fmt: skip
    if reading.form != "none" and not reading.cut:
        context = Context(
            config=reading.config,
            release=release,
            backend=_backend_of(reading.config, backend),
            written=reading.places.__contains__,
            folder=folder,
            item=item,
            code=code,
            files=files,
            gpus=gpus,
        )
        broken = {trouble.path for trouble in reading.troubles if trouble.path}
        silent = reading.open.keys() | broken
        hits = [
            finding
            for finding in check(context, reading.places, gaps=reading.gaps)
            if not _under(finding.field, silent)
        ]
        found += _settled(hits, context, reading, backend) if reading.open else hits
    return tuple(sorted(found, key=_order))


def _settled(
    findings: list[Finding], context: Context, reading: Reading, backend: str
) -> list[Finding]:
    """Those findings on a template that hold whatever values its placeholders become."""
    code = context.code
    names = [name for name, _ in (*code.inputs, *code.outputs)] if code is not None else []
    for config in variants(reading, [*names, context.folder or ""]):
        if not findings:
            break
        ids = {finding.rule for finding in findings}
        again = replace(context, config=config, backend=_backend_of(config, backend))
        rules = tuple(rule for rule in RULES if rule.id in ids)
        held = {_said(found) for found in check(again, reading.places, rules)}
        findings = [found for found in findings if _said(found) in held]
    return findings


def _said(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.field, finding.message


def lint_config(config: Any, *, release: Release = EMBEDDED, **known: Any) -> tuple[Finding, ...]:
    """Findings on a ``ModelConfig`` message, which has no lines.

    Args:
        config: The message.
        release: The release that is to load it.
        known: As the further arguments of ``lint_text``.
    """
    context = Context(config=config, release=release, backend=_backend_of(config, ""),
                      written=_never, **known)  # fmt: skip
    return tuple(check(context, {}))


def check(
    context: Context,
    places: dict[str, tuple[int, int]],
    rules: tuple[LintRule, ...] = RULES,
    gaps: Gaps = _NONE,
) -> list[Finding]:
    """What the rules say of a configuration, without what ``gaps`` leave open."""
    found = []
    for rule in rules:
        if rule.applies_to(context.release):
            hits = settled_hits(rule.check, context, gaps) if gaps else rule.check(context)
            found += [_placed(rule, hit, places) for hit in hits]
    return found


def _placed(rule: LintRule, hit: Hit, places: dict[str, tuple[int, int]]) -> Finding:
    line, column = place_of(hit.path, places)
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        line=line,
        column=column,
        field=_plain(hit.path),
        message=_plain(hit.message),
        effect=hit.effect,
        fix=_plain(hit.fix),
        source=rule.source,
    )


def place_of(path: str, places: dict[str, tuple[int, int]]) -> tuple[int | None, int | None]:
    """Line and column of a field, or of the nearest section above that is written."""
    if not places:
        return None, None
    here = path
    while here:
        if here in places:
            return places[here]
        cut = max(here.rfind("."), here.rfind("["))
        here = here[:cut] if cut > 0 else ""
    return 1, 1


def _read(rule: ReadingRule, what: str, fix: str, line: int, column: int, path: str) -> Finding:
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        line=line,
        column=column,
        field=_plain(path),
        message=_plain(what),
        effect=rule.effect,
        fix=_plain(fix),
        source=rule.source,
    )


def _plain(text: str) -> str:
    """A text that can be written out: bytes of the file that are no sign become a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _under(path: str, above: set[str]) -> bool:
    """Whether a field, or a section that it is in, is among those above."""
    here = path
    while here and here not in above:
        cut = max(here.rfind("."), here.rfind("["))
        here = here[:cut] if cut > 0 else ""
    return bool(here)


def _order(finding: Finding) -> tuple[int, int, int, str]:
    rank = {"error": 0, "warning": 1, "info": 2}[finding.severity]
    return finding.line or 0, finding.column or 0, rank, finding.rule


def _backend_of(config: Any, otherwise: str) -> str:
    """The backend that runs it; ``otherwise`` where neither backend nor platform says it."""
    if config.backend or not config.platform:
        return config.backend or otherwise
    return BACKEND_OF.get(config.platform, "")


def _never(path: str) -> bool:
    return False
