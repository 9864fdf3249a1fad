"""The state of the demo's inn, which tools change and resources show."""

__all__ = ["Inn"]


class Inn:
    """Lives as long as the process; a restarted server is a new inn."""

    def __init__(self) -> None:
        self.note = "No note yet. Call write_note."
        self.ticks = 0
        self.is_cellar_open = False
