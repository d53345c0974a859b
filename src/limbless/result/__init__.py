"""What a run produced: `Result`, its data set, its file, and how it is shown."""

from limbless.result.dataset import LABELS, LOOKED, RECORDED, components
from limbless.result.result import CHECKPOINT, FILE_NAME, FORMAT, Result
from limbless.result.showing import red_line

__all__ = ["CHECKPOINT", "FILE_NAME", "FORMAT", "LABELS", "LOOKED", "RECORDED", "Result", "components", "red_line"]
