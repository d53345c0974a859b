"""How fast does the eel become if its gait changes? Exact derivatives, from one run that carries them along."""

import limbless as ll

fields = ["gait.amplitude", "gait.wavelength", "gait.period"]
slopes = ll.sensitivity("eel-planar", fields, {"duration": 4.0, "record_every": 1.0})
end = slopes.isel(time=-1)

print(f"After {float(end.time):g} s the head is at x = {float(end.base_position.sel(axis='x')):.4f} m.")
for field in fields:
    slope = float(end.d_base_position.sel(axis="x", parameter=field))
    print(f"  one unit more of {field:16s} moves it by {slope:+.4f} m")

# The same by two whole runs on either side, as a check
step = 1e-4
there = [ll.run("eel-planar", {"duration": 4.0, "gait.amplitude": 0.06 + side * step}).dataset for side in (-1, 1)]
difference = float(there[1].base_position[-1, 0] - there[0].base_position[-1, 0]) / (2 * step)
exact = float(end.d_base_position.sel(axis="x", parameter="gait.amplitude"))
print(f"By differences of runs: {difference:+.4f} m per rad of amplitude (exact {exact:+.4f}).")
if abs(difference - exact) > 1e-5 * abs(exact):
    raise SystemExit("the derivative and the difference of two runs disagree")
