"""Writes a GGUF of random weights, half a megabyte: a model that says nothing, in letters, words and other scripts.

What it writes is noise, but stop strings do not mind: the text has words, line ends, characters of several bytes that
are cut into tokens, and pieces that are longer than a word. Nothing is downloaded. Needs the `gguf` package.

The embedding's first dimension is a constant, so that the first column of the output weights acts as a bias: it makes
the text look like a text, and keeps bytes that are no character by themselves rare.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

WIDTH, HEADS, LAYERS, INNER, CONTEXT = 64, 4, 2, 160, 2048
_SEED = 20261130
_CONSTANT = 6.0
_NEVER = -14.0

# Pieces longer than a letter, among them some that hold a space, a line end, or characters of several bytes.
PIECES = (
    *(" the", " a", " and", " of", " harbour", " tide", " calendar", " sea", " lamp", " stone", " says", " one"),
    *("ing", "er", "th", "end", "ed", "ll", "ou", "st", "qu", "tion", ", ", ". ", ".\n", "\n\n", " “", "” "),
    *("é", "è", "ö", "ø", "ß", "…", "—", " café", "über", "東", "京", "海", "😀", "🚢", "naïve", "Zoë"),
)

HALVES = ((b" \xc3", b"\xa9n"), (b"\xf0\x9f", b"\x9a\xa2"), (b"\xe6\x9d", b"\xb1\n"))
"""Tokens that are a character only together: the second is made to follow the first, and nothing else."""


def byte_alphabet() -> dict[int, str]:
    """The printable character that stands for each byte in a GPT-2 vocabulary (openai/gpt-2 encoder.py)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + place) for place, byte in enumerate(others)}


def vocabulary() -> list[tuple[str, float]]:
    """Each token as the file spells it, with its bias: how often it comes."""
    letters = byte_alphabet()
    tokens = [(letters[byte], _bias_of(bytes([byte]))) for byte in range(256)]
    pieces = [(piece.encode(), 1.2) for piece in PIECES]
    halves = [half for first, second in HALVES for half in ((first, 1.0), (second, _NEVER))]
    return tokens + [("".join(letters[byte] for byte in raw), bias) for raw, bias in (*pieces, *halves)]


def _bias_of(byte: bytes) -> float:
    if byte in (b" ", b"e", b"t", b"a", b"o", b"n", b"i", b"s", b"r"):
        return 1.5
    if byte.isalpha() and byte.islower():
        return 0.3
    if byte in b".,\n" or byte.isupper():
        return -0.8
    return _NEVER


def write(path: Path) -> None:
    """Write the model, whole or not at all.

    Raises:
        ImportError: the `gguf` package is not installed.
        OSError: the file cannot be written.
    """
    import gguf
    import numpy as np

    tokens = vocabulary()
    random = np.random.default_rng(_SEED)
    special = ("<|bos|>", "<|eos|>")
    count = len(tokens) + len(special)

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        writer = gguf.GGUFWriter(name, "llama")
        _head(writer, tokens, special, gguf)
        embedding = random.standard_normal((count, WIDTH), dtype=np.float32)
        embedding[:, 0] = _CONSTANT
        # After the last norm the constant is about this large: root mean square of the vector is one.
        size = _CONSTANT / np.sqrt((_CONSTANT**2 + WIDTH - 1) / WIDTH)
        output = random.standard_normal((count, WIDTH), dtype=np.float32) * 0.35
        biases = [bias for _, bias in tokens] + [_NEVER, -3.0]
        output[:, 0] = np.array(biases, dtype=np.float32) / size
        _join_halves(embedding, output, len(tokens) - 2 * len(HALVES))
        _weights(writer, random, embedding, output, np)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _head(writer: Any, tokens: list[tuple[str, float]], special: tuple[str, ...], gguf: Any) -> None:
    writer.add_name("random weights for llm-adapter-conformance")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens) + len(special))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _ in tokens] + list(special))
    normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    writer.add_token_types([normal] * len(tokens) + [control] * len(special))
    writer.add_token_merges(["t h", "e r", "e d"])
    writer.add_bos_token_id(len(tokens))
    writer.add_eos_token_id(len(tokens) + 1)
    writer.add_add_bos_token(True)


def _join_halves(embedding: Any, output: Any, place: int) -> None:
    """Point what the first half leaves behind at the second: each pair has a dimension of its own."""
    for pair in range(len(HALVES)):
        first, second, dimension = place + 2 * pair, place + 2 * pair + 1, 1 + pair
        embedding[:, dimension] = 0
        output[:, dimension] = 0
        embedding[first, dimension] = 24.0
        output[second, 1:] = 0
        output[second, dimension] = 5.0


def _weights(writer: Any, random: Any, embedding: Any, output: Any, np: Any) -> None:
    def matrix(rows: int, columns: int, scale: float) -> Any:
        return random.standard_normal((rows, columns), dtype=np.float32) * np.float32(scale / np.sqrt(columns))

    ones = np.ones(WIDTH, dtype=np.float32)
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output_norm.weight", ones)
    writer.add_tensor("output.weight", output)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        writer.add_tensor(f"{block}.attn_norm.weight", ones)
        writer.add_tensor(f"{block}.ffn_norm.weight", ones)
        for part in ("q", "k", "v"):
            writer.add_tensor(f"{block}.attn_{part}.weight", matrix(WIDTH, WIDTH, 1.0))
        back = matrix(WIDTH, WIDTH, 0.7)
        back[0, :] = 0  # the constant stays what it is
        writer.add_tensor(f"{block}.attn_output.weight", back)
        writer.add_tensor(f"{block}.ffn_gate.weight", matrix(INNER, WIDTH, 1.0))
        writer.add_tensor(f"{block}.ffn_up.weight", matrix(INNER, WIDTH, 1.0))
        down = matrix(WIDTH, INNER, 0.7)
        down[0, :] = 0
        writer.add_tensor(f"{block}.ffn_down.weight", down)
