"""Make the sample clips: eight callers, spoken by espeak-ng, with pauses and a noisy line.

Run it from the repository root with the console's Python; it needs Debian's ``espeak-ng``:

    .venv/bin/python model_templates/silero_vad/make_samples.py

Each clip is 8 s of 16 kHz mono, cut into frames of 512 samples. Noise is seeded per clip. The
speech depends on the version of espeak-ng, so a new run may give other samples than those stored.
"""

from __future__ import annotations

import io
import subprocess
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RATE = 16_000
FRAME_SAMPLES = 512
FRAMES = 250
NOISE = 0.001  # of full scale (-60 dB): a quiet line, not digital silence
SPEECH_PEAK = 0.4


@dataclass(frozen=True)
class Caller:
    """One clip: a voice, and phrases with the pause in seconds that goes before each."""

    name: str
    voice: str
    pitch: int
    words_per_minute: int
    phrases: tuple[tuple[float, str], ...]


CALLERS = (
    Caller("caller-1-lost-parcel", "en-us", 45, 180, (
        (0.6, "Hello, my parcel never came."),
        (1.0, "The number is four, seven, one."),
        (0.8, "Nobody rang the bell."),
    )),
    Caller("caller-2-new-bank-card", "en-gb+f2", 55, 165, (
        (0.9, "Good morning."),
        (0.7, "I need a new bank card, please."),
        (1.3, "The old one was stolen."),
    )),
    Caller("caller-3-train-times", "en-gb-scotland", 40, 170, (
        (0.4, "When is the next train to Aberdeen?"),
        (1.5, "And is there one after nine?"),
        (0.9, "Thank you."),
    )),
    Caller("caller-4-doctor", "en-us+f3", 60, 150, (
        (1.1, "I would like to see a doctor."),
        (0.6, "Tomorrow, if you can."),
        (1.1, "In the afternoon."),
    )),
    Caller("caller-5-broken-router", "en-gb+m5", 35, 160, (
        (0.7, "The internet is down again."),
        (0.9, "All lights are red."),
        (0.7, "I have switched it off and on."),
    )),
    Caller("caller-6-table-for-four", "en-us+f4", 50, 175, (
        (0.5, "Hi!"),
        (0.9, "Have you got a table for four on Friday?"),
        (1.2, "Half past seven would be lovely."),
    )),
    Caller("caller-7-meter-reading", "en-gb-x-rp", 42, 145, (
        (0.8, "I am ringing with a meter reading."),
        (0.8, "Five, nine, zero, two."),
        (1.4, "Goodbye."),
    )),
    Caller("caller-8-car-insurance", "en-us+m3", 48, 160, (
        (1.0, "Somebody drove into my car."),
        (1.1, "It happened this morning."),
        (0.6, "I took some pictures."),
    )),
)  # fmt: skip


def spoken(caller: Caller, phrase: str) -> np.ndarray:
    """The phrase as espeak-ng says it, at 16 kHz, loudest sample at ``SPEECH_PEAK``."""
    command = [
        "espeak-ng", "--stdout", "-v", caller.voice, "-p", str(caller.pitch),
        "-s", str(caller.words_per_minute), phrase,
    ]  # fmt: skip
    sound = subprocess.run(command, check=True, capture_output=True).stdout
    with wave.open(io.BytesIO(sound)) as file:
        rate = file.getframerate()
        samples = np.frombuffer(file.readframes(-1), dtype="<i2").astype(np.float64)
    samples = resampled(samples, rate)
    loudness = np.abs(samples)
    heard = np.flatnonzero(loudness > 0.01 * loudness.max())
    # The pauses are the caller's, not the silence that espeak-ng puts around each phrase.
    return samples[heard[0] : heard[-1] + 1] * (SPEECH_PEAK / loudness.max())


def resampled(samples: np.ndarray, rate: int) -> np.ndarray:
    """``samples`` at 16 kHz: the spectrum is cut at the new half rate, so nothing aliases."""
    count = round(len(samples) * RATE / rate)
    spectrum = np.fft.rfft(samples)[: count // 2 + 1]
    return np.fft.irfft(spectrum, count) * (count / len(samples))


def clip(caller: Caller, seed: int) -> np.ndarray:
    """All of the caller's frames, shape ``[FRAMES, FRAME_SAMPLES]``, int16."""
    parts = []
    for pause_s, phrase in caller.phrases:
        parts += [np.zeros(round(pause_s * RATE)), spoken(caller, phrase)]
    sound = np.concatenate(parts)
    total = FRAMES * FRAME_SAMPLES
    if len(sound) > total:
        raise SystemExit(f"{caller.name}: {len(sound) / RATE:.2f} s of sound, at most 8 s fit")
    sound = np.pad(sound, (0, total - len(sound)))
    sound += np.random.default_rng(seed).normal(0.0, NOISE, total)
    return np.round(sound * 32768).astype(np.int16).reshape(FRAMES, FRAME_SAMPLES)


def main() -> None:
    """Write ``samples/*.npz``: ``frames`` as int16, ``scale`` turns them into -1…1."""
    folder = Path(__file__).parent / "samples"
    folder.mkdir(exist_ok=True)
    for seed, caller in enumerate(CALLERS, start=1):
        frames = clip(caller, seed)
        path = folder / f"{caller.name}.npz"
        np.savez_compressed(path, frames=frames, scale=np.float32(1 / 32768))
        print(f"{path.name}: {len(frames)} frames, {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
