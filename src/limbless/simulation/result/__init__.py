"""What a run produced: `Result`, its data set, its file, and how it is shown."""

from limbless.simulation.result.dataset import LABELS, LOOKED, RECORDED, components
from limbless.simulation.result.result import FORMAT, Result
from limbless.simulation.result.show import red_line
from limbless.simulation.result.storage import CHECKPOINT, FILE_NAME

__all__ = ["CHECKPOINT", "FILE_NAME", "FORMAT", "LABELS", "LOOKED", "RECORDED", "Result", "components", "red_line"]
