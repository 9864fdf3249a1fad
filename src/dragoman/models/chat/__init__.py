"""TALKING WITH MODELS: what is asked of a model and what it says, without any provider's words; pure.

messages    a conversation                  history     the same as JSON, to be kept and resumed
request     what is asked of a model        choices     which model, and how a string names one
events      what a model says               joining     pieces to a whole reply
turns       what becomes of a reply         limits      how much a chat may do and spend
failures    what a provider's errors mean   scripted    a model for tests
sampling    a server's wish as a request, and a reply as its answer
anthropic · completions · responses · gemini · dialects   one interface each: requests written, streams read
"""

__all__: list[str] = []
