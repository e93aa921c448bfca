"""One run measures at a time (M45): a second process waits and says for whom."""

import subprocess
import sys
from pathlib import Path

import pytest

from backend.studies.measure_lock import measure_lock

ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import sys
from pathlib import Path
from backend.studies.measure_lock import measure_lock
with measure_lock(Path(sys.argv[1]), "first", waiting=print, stop=lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


class GivenUp(Exception):
    pass


def test_the_second_waits_and_names_the_first_then_gets_it(tmp_path: Path):
    lock = tmp_path / "measure.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    said: list[str] = []

    def give_up() -> None:
        raise GivenUp

    with (
        pytest.raises(GivenUp),
        measure_lock(lock, "second", waiting=said.append, stop=give_up),
    ):
        raise AssertionError("two runs measure at once")
    assert said == ["The run first measures on this machine; one run at a time."]

    # killed without a word: the lock goes with the process
    holder.kill()
    holder.communicate()
    with measure_lock(lock, "second", waiting=said.append, stop=give_up):
        pass
    assert len(said) == 1
