"""A design study in statics: what a neck spends along its figure of eight, by how deep it lies in water."""
import limbless as ll

found = ll.sweep("neck-horizontal-water", {"environment.buoyancy.immersed": [0.5, 0.75, 1.0]},
                 measure=["consumption", "reached"], changes={"gait.points": 41}, out="sweeps/neck", workers=0)
for immersed, spent in zip(found.dataset["environment.buoyancy.immersed"].values, found.dataset["consumption"].values,
                           strict=True):
    print(f"{immersed:.0%} immersed: {1e3 * spent:.2f} mJ")
print(found.told())
