"""TOOLS FOR MODELS: what a server offers as what a model can use, and what the model decides as calls; pure, both ways.

schema         walk a schema               references   what `$ref` leads to        modern     older drafts as 2020-12
folding        a root without combinators  strict       the subset of strict modes  openapi    the subset of Gemini
names          names that providers take   report       what was weakened and why   definition one tool, converted
anthropic · openai · gemini · bedrock · plain           one provider each: definitions, calls, results
formats        all of them by name         arguments    undo, repair, check         results    content and budgets
calls          what a model wants, and what came of it  functions    tools made of functions of this program
signatures     what a function takes                    foreign      types that are other libraries'
chat           what is asked of models, and what they say
media          base64 as servers write it               catalogue    token costs, search
"""

__all__: list[str] = []
