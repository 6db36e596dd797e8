"""What the runs of the examples took: CPU time of processes, and a table at the end."""

from __future__ import annotations

import ctypes
import os
import resource
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest

#: Clock ticks of a second in /proc.
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Figures:
    """A row of the table for each run."""

    rows: list[tuple[str, int, float, str]] = field(default_factory=list)

    def add(self, name: str, pages: int, seconds: float, result: str = "equal") -> None:
        """A run over so many pages that took so many CPU seconds."""
        self.rows.append((name, pages, seconds, result))

    def table(self) -> list[str]:
        """The lines of the table. The first row is the program's own core, to which the others are compared."""
        lines = ["| | pages | CPU s | pages a CPU second | ratio | result |", "|---|--:|--:|--:|--:|---|"]
        own = None
        for name, pages, seconds, result in self.rows:
            rate = pages / max(seconds, 1 / TICKS)
            own = own or rate
            lines.append(f"| {name} | {pages:,} | {seconds:.1f} | {rate:.0f} | {rate / own:.2f} | {result} |")
        return lines


FIGURES = Figures()


@pytest.fixture(scope="session")
def figures() -> Figures:
    return FIGURES


def adopt_orphans() -> None:
    """Makes this process the parent of processes whose parent ends before them, as those of Spark do: else their CPU time is lost."""
    # PR_SET_CHILD_SUBREAPER of prctl(2), on Linux.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def children() -> set[int]:
    """Processes whose parent this one is."""
    return set(descendants(os.getpid(), levels=1)[1:])


def wait_for(processes: Collection[int]) -> None:
    """Waits until children have ended, at most a minute."""
    left, deadline = set(processes), time.monotonic() + 60
    while left and time.monotonic() < deadline:
        for child in list(left):
            try:
                is_over = os.waitpid(child, os.WNOHANG) != (0, 0)
            except ChildProcessError:
                is_over = True
            if is_over:
                left.remove(child)
        time.sleep(0.05)


def cpu_of_ended() -> float:
    """CPU seconds of the children that have ended, and of what they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def descendants(process: int, levels: int | None = None) -> list[int]:
    """A process and those that it started, directly or not; of so many levels, where they are named."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, level = [process], [process]
    while level and levels != 0:
        level = [child for parent in level for child in parents.get(parent, [])]
        found.extend(level)
        levels = None if levels is None else levels - 1
    return found


class CpuWatch:
    """CPU time of some processes and of all that they start, looked at ten times a second: Ray does not wait for its own."""

    def __init__(self) -> None:
        self.roots: set[int] = set()
        self.ticks: dict[int, int] = {}
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self) -> None:
        while not self.stopped.wait(0.1):
            self.seconds()

    def seconds(self) -> float:
        """CPU seconds so far, also of processes that have ended."""
        for process in {one for root in list(self.roots) for one in descendants(root)}:
            try:
                fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            # utime and stime of proc(5).
            self.ticks[process] = int(fields[11]) + int(fields[12])
        return sum(list(self.ticks.values())) / TICKS

    def stop(self) -> None:
        self.stopped.set()
        self.thread.join()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the table, and what was passed over."""
    if FIGURES.rows:
        terminalreporter.write_line("")
        for line in FIGURES.table():
            terminalreporter.write_line(line)
    for report in terminalreporter.getreports("skipped"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"passed over, {report.nodeid.rpartition('::')[2]}: {reason}")
