"""What a draft counts and mints, apart from any API."""

from __future__ import annotations

import pytest

from conformance.contract import Usage
from conformance.wire.draft import Block, Draft, Text, Thinking, mint

THOUGHT = Thinking(("First this, ", "then that."))


@pytest.mark.parametrize(
    ("blocks", "generated", "thought"),
    [
        ((Text(("No thought ", "at all.")),), 19, 0),
        ((THOUGHT, Text(("The answer.",))), 19, 2),
        ((THOUGHT, Text(("The answer.",))), 1, 1),
        ((THOUGHT,), 32, 32),
        ((), 32, 0),
        ((THOUGHT,), None, 0),
    ],
)
def test_a_reply_of_thinking_alone_spent_every_token_on_it(
    blocks: tuple[Block, ...], generated: int | None, thought: int
) -> None:
    """Beside an answer each piece of thinking counts one; never more than was generated."""
    assert Draft("seed", "model", blocks, "stop", usage=Usage(7, generated)).thought_tokens == thought


def test_a_minted_id_is_the_same_for_the_same_seed() -> None:
    """The same draft gives the same bytes, another seed another id."""
    assert mint("req_", "a/b", 20) == mint("req_", "a/b", 20)
    assert mint("req_", "a/b", 20) != mint("req_", "a/c", 20)
