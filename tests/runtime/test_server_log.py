"""A log is read from its end and kept small under a flood (M18)."""

from __future__ import annotations

import os
from pathlib import Path

from backend.runtime.server_log import LogGuard, log_tail, read_from, telling_lines

CRASH = """\
W1201 03:49:16.911067 5554 pinned_memory_manager.cc:273] "Unable to allocate pinned system memory, \
pinned memory pool will not be available: CUDA driver version is insufficient"
E1201 03:49:16.911273 5554 server.cc:241] "CudaDriverHelper has not been initialized."
+------------------+------+
| Repository Agent | Path |
+------------------+------+
Error: Failed to initialize NVML
I1201 03:49:16.915628 5554 http_server.cc:4713] "Started HTTPService at 127.0.0.1:45100"
E1201 03:49:16.958245 5554 main.cc:293] "failed to start Metrics service: Unavailable"
free(): invalid next size (fast)
Signal (6) received.
"""


def test_tail_gives_the_last_lines_of_a_log_larger_than_what_is_read(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("".join(f"line {n:07d}\n" for n in range(100_000)))
    assert log_tail(log, 3) == ("line 0099997", "line 0099998", "line 0099999")
    assert log_tail(log, 10**6)[0].startswith("line 00")
    assert len(log_tail(log, 10**6)) < 30_000


def test_tail_of_no_log_or_no_lines_is_empty(tmp_path: Path) -> None:
    assert log_tail(tmp_path / "absent.log") == ()
    (tmp_path / "server.log").write_text("one\n")
    assert log_tail(tmp_path / "server.log", 0) == ()


def test_reading_from_an_offset_survives_a_cut_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("old\nnew\n")
    assert read_from(log, 4) == "new\n"
    assert read_from(log, 400) == "old\nnew\n"


def test_telling_lines_leave_out_routine_tables_and_what_every_machine_without_a_gpu_says() -> None:
    assert telling_lines(CRASH) == (
        'E1201 03:49:16.958245 5554 main.cc:293] "failed to start Metrics service: Unavailable"',
        "free(): invalid next size (fast)",
        "Signal (6) received.",
    )


def test_telling_lines_of_a_log_without_a_fault_are_its_last_lines() -> None:
    text = 'I1201 03:49:16.915628 5554 a.cc:1] "one"\nI1201 03:49:16.915628 5554 a.cc:1] "two"\n'
    assert telling_lines(text, 1) == ('I1201 03:49:16.915628 5554 a.cc:1] "two"',)


def test_guard_cuts_a_log_to_its_end_while_a_writer_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    writer = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        for number in range(1000):
            os.write(writer, f"line {number}\n".encode())
        before = log.stat().st_size
        guard = LogGuard(log, limit_bytes=5000, kept_bytes=100)
        guard.cut_if_large()
        os.write(writer, b"after\n")
    finally:
        os.close(writer)
    lines = log.read_text().splitlines()
    assert lines[0] == f"[Interleave cut this log at {before} bytes; its end follows.]"
    assert lines[-2:] == ["line 999", "after"]
    assert log.stat().st_size < 300
    assert guard.problem is None


def test_guard_leaves_a_small_log_alone(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("short\n")
    guard = LogGuard(log, interval_s=0.01)
    guard.start()
    guard.start()
    guard.stop()
    guard.stop()
    assert log.read_text() == "short\n"
