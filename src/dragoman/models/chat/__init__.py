"""TALKING WITH MODELS: what is asked of a model and what it says, without any provider's words; pure.

messages    a conversation, to be kept and resumed       events     what a model says, piece by piece
request     what is asked of a model                     joining    pieces to a whole reply
choices     which model, and how a string names one      failures   what a provider's errors mean
turns       what becomes of a reply                        limits     how much a chat may do and spend
anthropic · completions · responses · gemini · dialects   one interface each: requests written, streams read
sampling    a server's wish as a request, a reply as its answer
history     a conversation as JSON                         scripted   a model for tests
"""

__all__: list[str] = []
