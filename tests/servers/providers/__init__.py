"""The HTTP interfaces of providers of models, played on this machine for their own SDKs.

playing     what a test says a model says, and the server that plays it
anthropic   Messages          completions   OpenAI's Chat Completions
responses   OpenAI's Responses              gemini   the Gemini API
"""

from tests.servers.providers import anthropic, completions, gemini, responses
from tests.servers.providers.playing import Interface

__all__ = ["INTERFACES"]

INTERFACES: dict[str, Interface] = {
    "anthropic": anthropic.INTERFACE,
    "completions": completions.INTERFACE,
    "responses": responses.INTERFACE,
    "gemini": gemini.INTERFACE,
}
