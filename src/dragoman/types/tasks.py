"""Tasks (2025-11-25): requests that answer at once with a receipt and deliver later."""

from msgspec import Raw, field

from dragoman.types.base import Wire, nothing
from dragoman.types.meta import Meta, Number
from dragoman.types.requests import RequestParams
from dragoman.types.results import Listing, Result

__all__ = [
    "CreateTaskResult",
    "ListTasksResult",
    "RelatedTask",
    "Task",
    "TaskMetadata",
    "TaskParams",
    "TaskResult",
    "TaskStatusParams",
    "TasksPage",
]


class TaskMetadata(Wire, frozen=True):
    """The wish to run a request as a task; `ttl` is how long to keep it, in milliseconds."""

    ttl: Number | None = None


class RelatedTask(Wire, frozen=True):
    """Which task a message belongs to; stands in `_meta` under `RELATED_TASK_KEY`."""

    task_id: str


class Task(Wire, frozen=True):
    """Where a task stands: `working`, `input_required`, `completed`, `failed` or `cancelled`.

    `ttl` and `poll_interval` are in milliseconds; a `ttl` of None means for ever. Times are ISO 8601, as sent.
    """

    task_id: str
    status: str
    created_at: str
    last_updated_at: str
    ttl: Number | None
    poll_interval: Number | None = None
    status_message: str | None = None

    @property
    def is_over(self) -> bool:
        """Whether the status will not change any more."""
        return self.status in {"completed", "failed", "cancelled"}


class TaskResult(Task, frozen=True):
    """The answer to `tasks/get` and `tasks/cancel`: the task, as a result."""

    meta: Meta = field(default=None, name="_meta")


class TaskStatusParams(TaskResult, frozen=True):
    """Params of `notifications/tasks/status`."""


class CreateTaskResult(Result, frozen=True):
    """The receipt for a request that runs as a task."""

    __parts__ = (("task", "task"),)

    task: Task


class ListTasksResult(Listing[Task], frozen=True):
    """The tasks a server keeps for this client."""

    __parts__ = (("tasks", "tasks"),)
    _items = "tasks"
    _key = "task_id"

    tasks: tuple[Task, ...] = field(default_factory=nothing)


class TasksPage(Result, frozen=True):
    """A page of `tasks/list` whose items are not decoded yet."""

    tasks: tuple[Raw, ...]
    next_cursor: str | None = None


class TaskParams(RequestParams, frozen=True):
    """Params of `tasks/get`, `tasks/result` and `tasks/cancel`."""

    task_id: str
