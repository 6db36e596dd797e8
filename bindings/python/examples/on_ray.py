"""Audits WARC files on a Ray cluster: a task for each file, run again when its worker is lost.

RAY_ADDRESS=HOST:PORT python on_ray.py FOLDER FILE.warc.gz...

Folder and files have to be reachable from every machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import ray
import site_audit
from one_machine import audit_file

HERE = str(Path(__file__).parent)


@ray.remote(num_cpus=1, max_retries=-1)
def audited(path: str, folder: str, auditor: site_audit.Auditor) -> tuple[str, int, str]:
    """The file, the number of its pages, and the machine that did it."""
    machine = ray.get_runtime_context().get_node_id()
    # Which machine began what: only to see afterwards what was begun twice.
    (Path(folder) / f".begun-{Path(path).name}-{machine}").touch()
    return path, audit_file(path, folder, auditor), machine


def connect() -> None:
    """Connects to the cluster of RAY_ADDRESS; starts one on this machine where it is not set."""
    ray.init(runtime_env={"env_vars": {"PYTHONPATH": HERE}}, log_to_driver=False)


def audit_files(paths: list[str], folder: str, auditor: site_audit.Auditor) -> Iterator[tuple[str, int, str]]:
    """Audits files and yields each when it is done."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    running = [audited.remote(path, folder, auditor) for path in paths]
    while running:
        [done], running = ray.wait(running)
        yield ray.get(done)


def main(folder: str, *paths: str) -> None:
    connect()
    auditor = site_audit.Auditor(threads=1, at=datetime.now(timezone.utc))
    results = list(audit_files([os.path.abspath(path) for path in paths], os.path.abspath(folder), auditor))
    machines = {machine for _, _, machine in results}
    print(sum(rows for _, rows, _ in results), "pages on", len(machines), "machines")


if __name__ == "__main__":
    main(*sys.argv[1:])
