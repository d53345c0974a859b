"""A sweep on a dask cluster of this machine, one of whose workers is killed in the middle."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
import xarray as xr

import limbless as ll
from limbless.search.sweeps.row_store import read_rows
from limbless.simulation.result.storage import read_netcdf, write_netcdf
from tests.unit.search.sweeps.killing import OVER, SHORT

distributed = pytest.importorskip("distributed")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # what distributed says when its workers are killed
def test_a_dask_worker_killed_in_the_middle(tmp_path: Path) -> None:
    whole = ll.sweep("eel-planar", OVER, measure="mean_speed", changes=SHORT, out=tmp_path / "whole", workers=0)
    struck: list[int] = []
    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with distributed.LocalCluster(**options) as home, distributed.Client(home) as client:

        def strike(now) -> None:
            if now.done >= 4 and not struck:
                struck.append(next(iter(client.run(os.getpid).values())))
                os.kill(struck[0], signal.SIGKILL)

        found = ll.sweep(
            "eel-planar", OVER, measure="mean_speed", changes=SHORT, out=tmp_path / "s", dask=client, progress=strike
        )
    gc.collect()  # sockets and tasks of the killed worker end here, not within a test that heeds warnings
    assert struck and found.is_complete and not found.failures()
    one, other = ({run: row.values for run, row in read_rows(sweep.folder).items()} for sweep in (whole, found))
    assert one == other


def test_a_result_is_written_while_a_cluster_runs(tmp_path: Path) -> None:
    """xarray would take a lock of the cluster, which knows none for a file in memory."""
    options = {"processes": False, "n_workers": 0, "host": "127.0.0.1", "dashboard_address": None, "protocol": "tcp"}
    with distributed.LocalCluster(**options) as home, distributed.Client(home):
        write_netcdf(tmp_path / "r.nc", xr.Dataset({"x": ("time", [1.0, 2.0])}), None)
    assert read_netcdf(tmp_path / "r.nc")[0]["x"].values.tolist() == [1.0, 2.0]


def test_an_address_without_a_scheduler_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments, **options):
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(ll.InputError, match="no dask scheduler answers at tcp"):
        ll.sweep("eel-planar", OVER, measure="mean_speed", changes=SHORT, out=tmp_path / "s", dask="tcp://127.0.0.1:1")
    assert not (tmp_path / "s").exists()
