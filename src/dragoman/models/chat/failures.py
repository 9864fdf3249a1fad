"""What a model's provider answered in place of a reply: errors, divided by what to do about them."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from dragoman.errors import McpError
from dragoman.models.chat.messages import ModelMessage
from dragoman.protocol.redaction import redacted
from dragoman.types import is_object

__all__ = ["ModelError", "ModelRejected", "ModelUnavailable", "error_of", "model_error", "retry_after", "unwritten"]

_LATER = frozenset({408, 409, 425, 429})
_CODES_LATER = frozenset(
    {
        "api_error",
        "internal_error",
        "overloaded_error",
        "rate_limit_error",
        "rate_limit_exceeded",
        "server_error",
        "server_is_overloaded",
        "slow_down",
        "timeout_error",
        "vector_store_timeout",
    }
)
_KEYS = {401, 403}
_LONGEST = 2_000


class _Told(TypedDict, total=False):
    status: int | None
    code: str
    retry_after: float | None
    hint: str | None


class ModelError(McpError):
    """A model gave no whole reply.

    Attributes:
        provider: "anthropic", "openai", "gemini" or another.
        status: the HTTP status, or None where there was none.
        code: the provider's own word for it, such as "overloaded_error", or "".
        retry_after: seconds to wait, where the provider said so.
        partial: what the model had said by then, or None; it is not in the history.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str = "",
        status: int | None = None,
        code: str = "",
        retry_after: float | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.provider = provider
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.partial: ModelMessage | None = None


class ModelUnavailable(ModelError):
    """The provider is overloaded or out of order, limits how much is asked of it, or the line broke: try again later."""


class ModelRejected(ModelError):
    """The provider does not accept the request as it is: its key, its model's name, its size or its form."""


def model_error(provider: str, message: str, **told: Unpack[_Told]) -> ModelError:
    """Make the error for a failure; one with neither status nor code is a line that broke."""
    status, code = told.get("status"), told.get("code", "").lower()
    # Some refusals repeat a part of the key.
    message = redacted(message, _LONGEST)
    if _is_passing(status, code):
        return ModelUnavailable(f"{provider}: {message}", provider=provider, **told)
    if status in _KEYS:
        told.setdefault("hint", "check the key, and whether it may use this model")
    return ModelRejected(f"{provider}: {message}", provider=provider, **told)


def _is_passing(status: int | None, code: str) -> bool:
    if status is not None and status >= 400:
        return status >= 500 or status in _LATER
    # In the middle of a stream there is no status that tells anything.
    return not code or code in _CODES_LATER


def retry_after(headers: Any) -> float | None:
    """Read how many seconds to wait from an answer's headers, of which dates are left aside (RFC 9110, 10.2.3)."""
    for name, share in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name)) / share)
        except (AttributeError, TypeError, ValueError):
            continue
    return None


def error_of(failure: Exception, provider: str, key: str) -> ModelError:
    """Make the error for what a provider's SDK raised; `key` names the variable that its key is in."""
    status = _number(failure, "status_code") or _number(failure, "code")
    body = getattr(failure, "body", None) or getattr(failure, "details", None)
    message, code = _stated(body)
    if status is None and "authentication method" in str(failure):
        return ModelRejected(f"{provider}: there is no key", provider=provider, status=401, hint=f"set {key}")
    told: _Told = {
        "status": status,
        "code": code or str(getattr(failure, "status", None) or ""),
        "retry_after": retry_after(getattr(getattr(failure, "response", None), "headers", None)),
    }
    return model_error(provider, message or _words(failure, status), **told)


def _words(failure: Exception, status: int | None) -> str:
    """Give an SDK's own words, which of a line that broke do not say why."""
    words, why = str(failure) or type(failure).__name__, str(failure.__cause__ or "")
    return f"{words} ({why})" if status is None and why and why not in words else words


def unwritten(failure: Exception, provider: str, key: str) -> ModelError:
    """Make the error for a request that the SDK did not even send, such as one with an argument that it does not have."""
    error = error_of(failure, provider, key)
    if isinstance(error, ModelRejected):
        return error
    what = redacted(f"{provider}: the request cannot be written: {failure}", _LONGEST)
    return ModelRejected(what, provider=provider, hint="look at what `extra` adds to it")


def _number(failure: Exception, attribute: str) -> int | None:
    found = getattr(failure, attribute, None)
    return found if isinstance(found, int) else None


def _stated(body: Any) -> tuple[str, str]:
    """Read an error's message and code out of an answer's body, which all providers write much the same."""
    if not is_object(body):
        return "", ""
    inner = body.get("error")
    error = inner if is_object(inner) else body
    code = error.get("type") if error.get("type") not in {None, "error"} else error.get("code")
    return str(error.get("message") or ""), code if isinstance(code, str) else ""
