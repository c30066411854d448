"""The one place where probes are defined: what is asked of a server under test. How it is asked: conformance.servers.

A probe is to a server what a scenario is to an adapter: its id is the pytest id, the report row and the key of a known
failure. It has no cassette, since the server generates. All slugs begin with `server-`, so that no id means two things.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance.scenarios.model import BOTH, BUFFERED, STREAMED, Evidence
from conformance.vocabulary import Api, Mode, Standing

_CHAT, _RESPONSES, _ANTHROPIC, _GEMINI = (
    Api.OPENAI_CHAT,
    Api.OPENAI_RESPONSES,
    Api.ANTHROPIC_MESSAGES,
    Api.GEMINI,
)
_ALL = tuple(Api)


@dataclass(frozen=True, slots=True)
class Probe:
    """One question to a server.

    Attributes:
        api, slug: together the id.
        claim: one sentence on what is asked.
        right: one sentence on what a right server does.
        room: which module of conformance.servers asks it.
        kind: what that module is to ask.
        modes: the deliveries that are asked for.
        standing: who stands behind the expectation.
        evidence: sources.
        repeats: it is judged by difference, so that the server must repeat itself.
        cost: requests in each mode, without those that are drawn or confirm a finding.
    """

    api: Api
    slug: str
    claim: str
    right: str
    room: str
    kind: str
    modes: tuple[Mode, ...] = BOTH
    standing: Standing = Standing.PROMISED
    evidence: tuple[Evidence, ...] = ()
    repeats: bool = False
    cost: int = 1

    @property
    def id(self) -> str:
        """The pytest id, the report row and the known-failure key."""
        return f"{self.api}/{self.slug}"


def _bug(*sources: str) -> tuple[Evidence, ...]:
    return tuple(Evidence("bug", source) for source in sources)


_STOPS: tuple[tuple[str, str, str, tuple[Evidence, ...]], ...] = (
    # Most likely to fail first: a budget that ends early has been spent well.
    (
        "stop-across-tokens",
        "A stop string that begins inside one word and ends inside another.",
        "the text before it, whatever the tokens",
        _bug("vllm-project/vllm#3672", "mzau/mlx-knife#68", "jundot/omlx#2386"),
    ),
    (
        "stop-mid-word",
        "A stop string inside a word.",
        "the text before it: the match is on characters, not on tokens",
        _bug("vllm-project/vllm#3672"),
    ),
    (
        "stop-tail-prefix",
        "The text ends in the middle of a stop string.",
        "all of the text: what was held back is let go",
        _bug("ggml-org/llama.cpp#15007", "ggml-org/llama.cpp#9867"),
    ),
    (
        "stop-near-miss",
        "Stop strings that the text meets up to their last character.",
        "all of the text",
        _bug("ggml-org/llama.cpp#10914"),
    ),
    (
        "stop-of-many",
        "Several stop strings that all occur, listed in any order.",
        "the text up to the first occurrence of any",
        _bug("paiml/aprender#2016"),
    ),
    (
        "stop-same-place",
        "Stop strings that begin at the same place, one the beginning of another.",
        "the text before that place; either may be named",
        _bug("jundot/omlx#2386"),
    ),
    (
        "stop-overlapping",
        "A stop string inside another, which is therefore complete first.",
        "the text before the one that begins first, or before the one that is complete first",
        (),
    ),
    (
        "stop-multi-byte",
        "A stop string of characters that take several bytes, or next to one.",
        "the text before it, no character broken",
        _bug("abetlen/llama-cpp-python#372"),
    ),
    (
        "stop-after-space",
        "A stop string right after white space.",
        "the text before it, the white space kept",
        _bug("ggml-org/llama.cpp#9867"),
    ),
    ("stop-newline", "A stop string with a line end in it.", "the text before it", _bug("ggml-org/llama.cpp#9867")),
    ("stop-one-character", "A stop string of one character.", "the text before its first occurrence", ()),
    ("stop-case", "Stop strings that occur in other letters of the case only.", "all of the text", ()),
    (
        "stop-literal",
        "Stop strings that would match as patterns (`.`, `*`) and do not occur letter by letter.",
        "all of the text",
        (),
    ),
    ("stop-at-once", "A stop string with which the text begins.", "a reply without text", ()),
    ("stop-duplicates", "The same stop string several times.", "the text before its first occurrence", ()),
    (
        "stop-many",
        "As many stop strings as the API takes; only the last one occurs.",
        "the text before it, or the API's error",
        _bug("lm-sys/FastChat#2766"),
    ),
)

_CAP_DOC = (Evidence("doc", "openai/openai-openapi@f85dbe2 CreateChatCompletionRequest: max_tokens (deprecated) "),)
_FOUR_DOC = (
    Evidence("doc", "openai/openai-openapi@f85dbe2 StopConfiguration: up to 4 sequences; 400 array_above_max_length"),
    *_bug("lm-sys/FastChat#2766"),
)
_FIVE_DOC = (Evidence("doc", "google-ai-generativelanguage==0.12.1 GenerationConfig: up to 5 stop_sequences"),)


def _probes(api: Api) -> list[Probe]:
    plain = [
        Probe(
            api,
            "server-answers",
            "A plain question without stop strings.",
            "a reply of the API, its stream in the API's order, with a reason and with usage",
            "shapes",
            "answers",
        ),
        Probe(
            api,
            "server-repeats",
            "The same question once more, at a fixed seed and temperature, and the same as a stream.",
            "the same text: only then can answers be compared",
            "shapes",
            "repeats",
            cost=2,
        ),
        Probe(
            api,
            "server-stop-common",
            "Stop strings that nearly every text has.",
            "a text without any of them; this needs no server that repeats itself",
            "stopping",
            "common",
        ),
    ]
    extension = [
        Probe(
            api,
            "server-stop-extension",
            "A `stop` list in an API whose vendor documents none.",
            "an error, or the list honoured; ignored in silence, a caller runs on",
            "stopping",
            "extension",
            standing=Standing.PERMITTED,
            evidence=(Evidence("doc", "openai/openai-openapi@f85dbe2 CreateResponse has no stop"),),
            repeats=True,
        )
    ]
    stops = [
        Probe(api, f"server-{slug}", claim, right, "stopping", slug, evidence=evidence, repeats=True)
        for slug, claim, right, evidence in _STOPS
    ]
    *refused, longest = _errors(api)
    return [
        *plain,
        *(extension if api is _RESPONSES else []),
        *stops[:4],
        *_limits(api),
        *stops[4:],
        *refused,
        Probe(
            api,
            "server-side-by-side",
            "Sixteen calls at once, with four prompts and different stop strings.",
            "each gets its own text, cut by its own stop string",
            "together",
            "calls",
            repeats=True,
            cost=20,
        ),
        longest,  # last: a slow engine may be busy with it for long after
    ]


def _limits(api: Api) -> list[Probe]:
    def stop(slug: str, claim: str, right: str, **more: Any) -> Probe:
        return Probe(api, f"server-{slug}", claim, right, "limits", slug, repeats=True, **more)

    out: list[Probe] = []
    if api in (_CHAT, _GEMINI):
        many, doc = ("five", _FOUR_DOC) if api is _CHAT else ("six", _FIVE_DOC)
        out.append(
            stop(
                "stop-beyond-limit",
                f"{many.capitalize()} stop strings, one more than the vendor takes; only the last one occurs.",
                "honoured whole, or refused with the API's error; never sliced",
                evidence=doc,
                cost=2,
            )
        )
    if api is _CHAT:
        out.append(
            stop("stop-bare-string", "One stop string, not in a list.", "the text before it", evidence=_FOUR_DOC[:1])
        )
        out.append(stop("stop-null", "`stop` is null.", "all of the text", evidence=_FOUR_DOC[:1]))
    out += [
        stop("stop-empty-list", "An empty list of stop strings.", "all of the text, or the API's error"),
        stop("stop-empty-string", "An empty stop string.", "all of the text, or the API's error"),
        stop("stop-blank", "A stop string of white space only.", "the text before it, or the API's error"),
        stop(
            "stop-at-cap",
            "A stop string that ends where the cap on tokens ends the text.",
            "the text before it; either reason is honest",
            cost=2,
        ),
        stop(
            "stop-past-cap",
            "A stop string that begins before the cap on tokens and would end after it.",
            "all of the text up to the cap, truncated",
            cost=2,
        ),
        stop(
            "cap",
            "A small cap on output tokens, under each name that the API documents.",
            "a truncated text that is the beginning of the longer one",
            evidence=_CAP_DOC if api is _CHAT else (),
            cost=2 if api is _CHAT else 1,
        ),
    ]
    tool = ("A question with a tool that must be called", "errors")
    out.append(
        Probe(
            api,
            "server-tool-call",
            f"{tool[0]}.",
            "a tool call told as one, its arguments whole; not judged where the server calls none",
            "shapes",
            "tool",
        )
    )
    return out


_REFUSED: tuple[tuple[str, str, str, tuple[Mode, ...], int], ...] = (
    ("malformed", "A body that is no JSON.", "the API's error, 4xx", BUFFERED, 2),
    ("types", "A body in which the messages are a number.", "the API's error, 4xx", BOTH, 2),
    ("path", "A path that the API does not have.", "an error, 404", BUFFERED, 2),
    ("model", "A model that does not exist.", "the API's error; a server of one model may answer", BUFFERED, 2),
    ("key", "A wrong key, where the run has one.", "the API's error, 401 or 403", BUFFERED, 2),
    ("context", "A prompt of 20,000 words.", "the API's error, or an answer to the whole prompt", BUFFERED, 2),
)


def _errors(api: Api) -> list[Probe]:
    return [
        Probe(api, f"server-error-{kind}", claim, f"{right}; then the server still answers", "refusing", kind, modes,
              cost=cost)
        for kind, claim, right, modes, cost in _REFUSED
    ]  # fmt: skip


@cache
def probes() -> Mapping[str, Probe]:
    """Every probe by id, API by API, in the order in which they are asked."""
    return {probe.id: probe for api in Api for probe in _probes(api)}


__all__ = ["BOTH", "BUFFERED", "STREAMED", "Probe", "probes"]
