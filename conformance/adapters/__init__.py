"""The registry of adapters: names and factories in, built Adapters out. No binding's own code, no pytest.

A binding is a file of its own beside this one and is imported only when it is asked for, so that
one adapter's run needs one adapter's library.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import partial
from importlib import import_module, metadata
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

from conformance.contract import Adapter
from conformance.errors import AdapterBroken, AdapterNotFound, ConformanceError

__all__ = [
    "DRAFTS",
    "SHIPPED",
    "Shipped",
    "checked",
    "installed",
    "known_failures_of",
    "known_failures_path",
    "load",
    "version_of",
]


class Shipped(NamedTuple):
    """Where a shipped binding is, and the extra of our package that installs its library."""

    module: str
    factory: str
    extra: str | None


SHIPPED: dict[str, Shipped] = {
    "reference": Shipped("conformance.adapters.reference", "build", None),
    "translator-openai-chat": Shipped("conformance.adapters.translator", "openai_chat", None),
    "translator-openai-responses": Shipped("conformance.adapters.translator", "openai_responses", None),
    "translator-anthropic-messages": Shipped("conformance.adapters.translator", "anthropic_messages", None),
    "translator-gemini": Shipped("conformance.adapters.translator", "gemini", None),
    "openai-sdk": Shipped("conformance.adapters.openai_sdk", "build", "openai-sdk"),
    "anthropic-sdk": Shipped("conformance.adapters.anthropic_sdk", "build", "anthropic-sdk"),
    "google-genai-sdk": Shipped("conformance.adapters.google_genai_sdk", "build", "google-genai-sdk"),
    "litellm": Shipped("conformance.adapters.litellm_sdk", "build", "litellm"),
    "langchain-openai": Shipped("conformance.adapters.langchain_openai_chat", "build", "langchain-openai"),
    "langchain-anthropic": Shipped("conformance.adapters.langchain_anthropic_chat", "build", "langchain-anthropic"),
    "langchain-google-genai": Shipped(
        "conformance.adapters.langchain_google_genai_chat", "build", "langchain-google-genai"
    ),
    "pydantic-ai": Shipped("conformance.adapters.pydantic_ai_direct", "build", "pydantic-ai"),
    "any-llm": Shipped("conformance.adapters.any_llm_sdk", "build", "any-llm"),
    "openai-agents": Shipped("conformance.adapters.openai_agents", "build", "openai-agents"),
    "llama-index": Shipped("conformance.adapters.llama_index", "build", "llama-index"),
    "haystack": Shipped("conformance.adapters.haystack", "build", "haystack"),
    "aisuite": Shipped("conformance.adapters.aisuite_client", "build", "aisuite"),
    "strands": Shipped("conformance.adapters.strands_agent", "build", "strands"),
    "semantic-kernel": Shipped("conformance.adapters.semantic_kernel_chat", "build", "semantic-kernel"),
    "instructor": Shipped("conformance.adapters.instructor_client", "build", "instructor"),
    "dspy": Shipped("conformance.adapters.dspy_lm", "build", "dspy"),
}

DRAFTS: frozenset[str] = frozenset()
"""Bindings that run, and whose findings nobody has yet confirmed on the bytes: they may be the binding's own."""

SPOKEN = {"exec": "conformance.adapters.exec_process", "gateway": "conformance.adapters.gateway"}
"""Adapters that are no library: a prefix before a colon, and the module whose `build` takes what follows it."""

_CONTRACT = ("name", "apis", "vocabulary", "lacks", "complete", "stream")
_HOW_TO_NAME = 'name a factory of your own as "package.module:factory"'


def load(name: str) -> Adapter:
    """Build the adapter that `name` stands for.

    A shipped name; `package.module:factory`, called without arguments; `exec:COMMAND`; or `gateway:API@URL`.

    Raises:
        AdapterNotFound: nothing shipped has this name, or the module or the factory does not exist.
        AdapterBroken: its library is not installed, it raised while it was built, or it is no Adapter.
    """
    prefix, _, rest = name.partition(":")
    if prefix in SPOKEN and rest:
        factory_of = _factory(name, SPOKEN[prefix], "build", None)
        return _checked(name, _built(name, partial(factory_of, rest)))
    if name in SHIPPED:
        module, factory, extra = SHIPPED[name]
    else:
        module, separator, factory = name.partition(":")
        if not (module and separator and factory):
            raise AdapterNotFound(f"no shipped adapter is called {name!r}", _suggest(name))
        extra = None
    return _checked(name, _built(name, _factory(name, module, factory, extra)))


def checked(adapter: object) -> Adapter:
    """An object that a fixture handed in, where it is an Adapter.

    Raises:
        AdapterBroken: it lacks something that the contract asks for.
    """
    return _checked("the `adapter` fixture", adapter)


def known_failures_path(name: str) -> Path | None:
    """Where the known-failures file of a shipped binding lies or would lie; None where the name is no shipped one."""
    return Path(__file__).parent / f"{name.replace('-', '_')}.known.toml" if name in SHIPPED else None


def known_failures_of(name: str) -> Path | None:
    """The known-failures file of a shipped binding, beside it; None where it has none."""
    path = known_failures_path(name)
    return path if path is not None and path.is_file() else None


def version_of(adapter: Adapter) -> str | None:
    """The version of the code under test, where the binding says it in the optional attribute `version`."""
    version = getattr(adapter, "version", None)
    return None if version is None else str(version)


def installed(distribution: str) -> str | None:
    """The version of an installed distribution; None in a source tree that was never installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _suggest(name: str) -> str:
    close = difflib.get_close_matches(name, SHIPPED, n=3)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    return f"{meant}shipped are {', '.join(SHIPPED)}; or {_HOW_TO_NAME}"


def _factory(name: str, module: str, factory: str, extra: str | None) -> Callable[..., object]:
    loaded = _imported(name, module, extra)
    try:
        found = attrgetter(factory)(loaded)
    except AttributeError as error:
        raise AdapterNotFound(f"adapter {name!r}: {module} has no {factory!r}", _HOW_TO_NAME) from error
    if not callable(found):
        kind = type(found).__name__
        raise AdapterBroken(f"{name!r}, of type {kind}, cannot be called", "name a function without arguments")
    return cast("Callable[..., object]", found)


def _imported(name: str, module: str, extra: str | None) -> ModuleType:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or "a module"
        if extra:
            raise AdapterBroken(
                f"adapter {name!r} needs {missing}, which is not installed",
                f'pip install "llm-adapter-conformance[{extra}]"',
            ) from error
        if module == missing or module.startswith(f"{missing}."):
            raise AdapterNotFound(
                f"adapter {name!r}: there is no module {missing!r} on the import path",
                f"run `python -m pytest` from its folder, or set pytest's `pythonpath`; {_HOW_TO_NAME}",
            ) from error
        raise AdapterBroken(f"importing {module} failed: {_text(error)}", f"install {missing}") from error
    except Exception as error:
        raise AdapterBroken(f"importing {module} failed: {_text(error)}", "mend the module") from error


def _built(name: str, factory: Callable[[], object]) -> object:
    try:
        return factory()
    except ConformanceError:
        raise
    except Exception as error:
        raise AdapterBroken(
            f"the factory of {name!r} raised {_text(error)}", "a factory takes no arguments and returns an Adapter"
        ) from error


def _checked(name: str, adapter: Any) -> Adapter:
    missing = [attribute for attribute in _CONTRACT if not hasattr(adapter, attribute)]
    if missing:
        raise AdapterBroken(
            f"what {name!r} built, a {type(adapter).__name__}, lacks {', '.join(missing)}",
            "see conformance.contract.Adapter for what each of them is",
        )
    return cast("Adapter", adapter)


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
