"""Tests of the exec: adapter, with bindings in Python as the other language. No library is called here."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance import Api, Call, End, Reply, Stop, TextDelta, ToolCallDelta
from conformance.adapters import exec_lines, load
from conformance.adapters.exec_process import ExecAdapter, RemoteError
from conformance.errors import AdapterBroken

SCHEMA = json.loads(Path(exec_lines.__file__).with_name("exec.schema.json").read_text(encoding="utf-8"))
HELLO = {"name": "mine", "version": "7", "apis": ["gemini"], "vocabulary": {"ok": "complete"}}
CALL = Call(Api.GEMINI, "http://127.0.0.1:9", "key", "model", "prompt", stop=["END"])

Bind = Callable[..., ExecAdapter]


@pytest.fixture
def bind(tmp_path: Path) -> Bind:
    """A binding that answers every call with these lines."""

    def made(*answers: dict[str, Any], hello: Any = HELLO, body: str = "") -> ExecAdapter:
        script = tmp_path / "binding.py"
        script.write_text(
            "import json, sys, time\n"
            "for line in sys.stdin:\n"
            "    asked = json.loads(line)\n"
            "    def say(**keys): print(json.dumps({'id': asked['id'], **keys}), flush=True)\n"
            f"    if 'hello' in asked: say(hello={hello!r}); continue\n"
            f"    {body or 'pass'}\n"
            f"    for answer in {list(answers)!r}: say(**answer)\n"
        )
        return ExecAdapter(shlex.join([sys.executable, str(script)]))

    return made


def test_it_says_who_it_is(bind: Bind) -> None:
    adapter = bind()
    assert (adapter.name, adapter.version, adapter.apis) == ("mine", "7", frozenset({Api.GEMINI}))
    assert adapter.vocabulary.members == {"ok": Stop.COMPLETE}


def test_a_whole_reply_comes_back(bind: Bind) -> None:
    reply = {"text": "Yes.", "reason": "ok", "tool_calls": [{"name": "look", "arguments": {"a": 1}}]}
    told = bind({"reply": reply}, {"done": True}).complete(CALL)
    assert (told.text, told.reason, told.tool_calls[0].arguments) == ("Yes.", "ok", {"a": 1})


def test_parts_come_back_in_order(bind: Bind) -> None:
    adapter = bind(
        {"part": {"type": "text", "text": "Yes"}},
        {"part": {"type": "tool_call", "index": 0, "name": "look", "arguments": "{}"}},
        {"part": {"type": "end", "reason": "ok", "final": {"text": "Yes"}}},
        {"done": True},
    )
    assert list(adapter.stream(CALL)) == [
        TextDelta("Yes"),
        ToolCallDelta(0, name="look", arguments="{}"),
        End("ok", final=Reply(text="Yes")),
    ]


def test_what_was_raised_there_is_raised_here_by_its_name(bind: Bind) -> None:
    adapter = bind({"raised": {"kind": "RateLimitError", "message": "slow down"}})
    with pytest.raises(RemoteError, match="slow down") as caught:
        adapter.complete(CALL)
    assert f"{type(caught.value).__module__}.{type(caught.value).__name__}" == "remote.RateLimitError"


def test_a_slip_of_the_other_language_counts_as_one(bind: Bind) -> None:
    with pytest.raises(RemoteError, match="ReferenceError: x") as caught:
        bind({"raised": {"kind": "ReferenceError", "message": "x"}}).complete(CALL)
    assert type(caught.value).__module__ == "builtins"


def test_a_warning_is_a_warning(bind: Bind) -> None:
    with pytest.warns(UserWarning, match="no stop"):
        bind({"warning": "no stop"}, {"reply": {}}, {"done": True}).complete(CALL)


def test_a_call_that_was_given_up_does_not_spoil_the_next(bind: Bind, tmp_path: Path) -> None:
    flag = tmp_path / "slow"
    flag.touch()
    body = f"import os; (os.path.exists({str(flag)!r}) and time.sleep(60))"
    adapter = bind({"part": {"type": "text", "text": "Yes"}}, {"done": True}, body=body)
    adapter._send("{}", 99)  # asked, and nobody waits for the answer
    flag.unlink()
    assert list(adapter.stream(CALL)) == [TextDelta("Yes")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"part": {"type": "sound"}}, "type 'sound'"),
        ({"part": {"type": "text", "txt": "x"}}, "unknown key 'txt'"),
        ({"part": {"type": "text", "text": 3}}, "no str"),
        ({"reply": {}}, "lacks the object"),
    ],
    ids=["type", "key", "kind", "place"],
)
def test_a_line_that_is_wrong_is_told(bind: Bind, line: dict[str, Any], problem: str) -> None:
    with pytest.raises(AdapterBroken, match=problem):
        list(bind(line, {"done": True}).stream(CALL))


def test_what_is_not_json_is_told(bind: Bind) -> None:
    with pytest.raises(AdapterBroken, match="not JSON"):
        bind(body="print('debug', flush=True)").complete(CALL)


def test_a_process_that_ends_is_told(bind: Bind) -> None:
    with pytest.raises(AdapterBroken, match="exit code 3"):
        bind(body="sys.exit(3)").complete(CALL)


@pytest.mark.parametrize("hello", [{"name": "x"}, {**HELLO, "apis": ["grpc"]}, {**HELLO, "vocabulary": {"a": "b"}}])
def test_a_hello_that_is_wrong_is_told(bind: Bind, hello: dict[str, Any]) -> None:
    with pytest.raises(AdapterBroken, match=r"hello|lacks|none of"):
        bind(hello=hello)


def test_a_command_that_is_not_there_is_told() -> None:
    with pytest.raises(AdapterBroken, match="cannot run"):
        load("exec:no-such-command-anywhere")


def test_the_schema_describes_the_lines() -> None:
    for line in (
        json.loads(exec_lines.ask(3, "buffered", CALL)),
        json.loads(exec_lines.hello(1)),
        {"id": 1, "hello": HELLO},
        {"id": 3, "wire": {"api": "gemini", "payload": {}}},
        {"id": 3, "done": True},
    ):
        jsonschema.validate(line, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"id": 3, "part": {"type": "sound"}}, SCHEMA)
