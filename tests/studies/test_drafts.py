"""Drafts of studies: kept on every change, a stale write refused (M45)."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from backend.contracts.errors import EnvironmentMissing, InputError, StoreConflict
from backend.contracts.home import Home
from backend.studies.drafts import create_draft, list_drafts, load_draft, save_draft
from backend.workload.study import Study
from backend.workload.study_file import load_study

STUDY = Path(__file__).resolve().parents[2] / "studies/streaming-captions.yaml"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def study() -> Study:
    return load_study(STUDY)


def test_a_draft_reads_back_as_it_was_saved(home: Home, study: Study):
    draft = create_draft(home, study)
    assert load_draft(home, draft.id).study == study
    changed = save_draft(home, draft, study.model_copy(update={"seed": 99}))
    assert load_draft(home, draft.id).study.seed == 99
    assert changed.version != draft.version
    assert list_drafts(home) == (draft.id,)


def test_m45_a_stale_write_is_refused_and_loses_nothing(home: Home, study: Study):
    mine = create_draft(home, study)
    save_draft(home, load_draft(home, mine.id), study.model_copy(update={"seed": 2}))
    with pytest.raises(StoreConflict, match="another window"):
        save_draft(home, mine, study.model_copy(update={"seed": 3}))
    assert load_draft(home, mine.id).study.seed == 2


@pytest.mark.parametrize("name", ["../etc/passwd", "", "A", "a/b", "x" * 80])
def test_an_id_that_is_none_never_becomes_a_path(home: Home, name: str):
    with pytest.raises(InputError, match="not the id of a draft"):
        load_draft(home, name)


def test_an_unknown_draft_says_so(home: Home):
    with pytest.raises(InputError, match="no draft 'gone-123'"):
        load_draft(home, "gone-123")


def test_a_draft_that_went_away_is_not_written_over_nothing(home: Home, study: Study):
    draft = create_draft(home, study)
    (home.drafts / f"{draft.id}.yaml").unlink()
    with pytest.raises(StoreConflict):
        save_draft(home, draft, study)
    assert list_drafts(home) == ()


def test_a_home_that_cannot_be_written_says_so(study: Study):
    with pytest.raises(EnvironmentMissing, match="cannot write its folder"):
        create_draft(Home(Path("/proc/nowhere")), study)


def test_of_two_writers_at_once_one_is_refused(home: Home, study: Study):
    """Two windows of one console are two threads that read the same version."""
    draft = create_draft(home, study)

    def save(seed: int) -> bool:
        try:
            save_draft(home, draft, study.model_copy(update={"seed": seed}))
        except StoreConflict:
            return False
        return True

    for _ in range(10):
        draft = load_draft(home, draft.id)
        first = draft.study.seed + 1
        with ThreadPoolExecutor(4) as pool:
            saved = list(pool.map(save, range(first, first + 4)))
        assert sum(saved) == 1
        assert load_draft(home, draft.id).study.seed == first + saved.index(True)
