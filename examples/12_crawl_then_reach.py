"""Locomotion and manipulation in one run: a wheeled snake crawls, clamps its tail and reaches."""

import limbless as ll

result = ll.run("wheeled-snake-crawl-then-reach")
data = result.dataset
print(f"crawled to ({float(data.base_position[-1, 0]):.3f}, {float(data.base_position[-1, 1]):.3f}) m")
print(f"the clamp cost {1000 * float(data.clamp_energy[-1]):.4f} mJ when it closed")
print(f"the head ended at ({float(data.head_position[-1, 0]):.3f}, {float(data.head_position[-1, 1]):.3f}) m")
