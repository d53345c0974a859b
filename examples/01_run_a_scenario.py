"""Run a built-in scenario, change some of its fields, look at the numbers and write everything into a folder."""

import limbless as ll

result = ll.run("eel-planar", {"duration": 6.0, "gait.amplitude": 0.08})
print(result)

head = result.dataset["head_position"]  # xarray: named dimensions, units in the attributes
print(f"the head went {float(head.sel(axis='x')[-1] - head.sel(axis='x')[0]):.3f} {head.units} along x")

summary = result.summary()
print(f"peak torques: {summary['peak_torque']} N m")
print(f"energy and work agree to {summary['balances']['power']['relative']:.1e} of the work exchanged")

written = result.write("runs/first", figures=False)  # scenario.yaml, result.nc, summary.json
print("wrote", ", ".join(path.name for path in written))
