"""Takes out of an answer what is not the vendor's wire but somebody's account: in memory, keeping every length.

What is left has the same number of bytes in the same places, so that the ends of chunks stay true. What
comes in the place of an id depends on the scenario and on the id's number alone: recording again gives a small diff.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from tools.published.jsontext import Form, Token, tokens, units, written
from tools.published.minting import fresh_id, fresh_secret, fresh_time
from tools.published.roles import in_arguments
from tools.record.client import Answer
from tools.record.errors import SecretLeft
from tools.secrets.forms import masked

KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-should-retry", "openai-version")
"""Response headers that go into a cassette as they are. No other does: a new header is nobody's until someone looks."""

REQUEST_IDS = ("request-id", "x-request-id")
"""Response headers whose value is minted anew."""

_IDS = (
    "id item_id call_id response_id responseId previous_response_id request_id tool_use_id system_fingerprint"
    " safety_identifier prompt_cache_key user user_id container_id conversation_id batch_id file_id"
)
_ACCOUNTS = (
    "organization organization_id org_id project project_id project_number workspace workspace_id account account_id"
    " consumer container tenant_id service_account service_account_id api_key api_key_id key email client_ip ip"
    " ip_address remote_addr"
)
_SECRETS = "signature thoughtSignature encrypted_content obfuscation fallback_credit_token"
_TIMES = "created created_at completed_at failed_at expires_at createTime create_time last_active_at"


class _What(Enum):
    """What is done with the value of a key."""

    ID = auto()
    ACCOUNT = auto()
    SECRET = auto()
    TIME = auto()


_KEYS: Mapping[str, _What] = {
    **dict.fromkeys(_IDS.split(), _What.ID),
    **dict.fromkeys(_ACCOUNTS.split(), _What.ACCOUNT),
    **dict.fromkeys(_SECRETS.split(), _What.SECRET),
    **dict.fromkeys(_TIMES.split(), _What.TIME),
}

# Headers whose values must not be met again in a body.
_TELLING = re.compile(
    r"organi[sz]ation|project|workspace|account|tenant|request-?id|cookie|ray|trace|span|client|forwarded|real-ip|"
    r"user|api-?key|auth|token|session|served-by|consumer|fingerprint|correlation"
)
_VERSION = "req_011C"
_SHORTEST = 6
"""A value with fewer characters is not looked for in texts: it would be found by chance."""

_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_HTTP_DATE = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")
_NO_DAY = "Thu, 01 Jan 2026 00:00:00 GMT"
_NO_DIGITS = "20260101"
"""The one date of all recordings."""

# Values that are no one's, though the header could name an account: they are enumerations elsewhere.
_WORDS = {"default", "standard", "priority", "unknown", "global", "public", "private", "enabled", "disabled"}
_DATA = re.compile(r"(?m)^data:[ ]?")
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(slots=True)
class Scrubbed:
    """What may be kept of an answer.

    Attributes:
        headers: lower case, one value each.
        body: as long as the one that came.
        taken: the values that were taken out, by what stands in for them.
    """

    headers: dict[str, str]
    body: bytes
    taken: Mapping[str, str] = field(repr=False)


def scrub(answer: Answer, seed: str, *, streamed: bool) -> Scrubbed:
    """The answer without what tells whose it is.

    Args:
        answer: as it came.
        seed: what the minted ids depend on: the cell.
        streamed: the body is a stream of events.

    Raises:
        SecretLeft: the body is no text, so that nobody can look into it.
    """
    try:
        text = answer.body.decode()
    except UnicodeDecodeError as error:
        raise SecretLeft(
            f"{seed}: the body is no UTF-8 text, so nobody can tell what it holds", "it is not recorded"
        ) from error
    fresh = _Fresh(seed)
    for name, value in answer.headers:
        if "ratelimit" not in name and _TELLING.search(name):
            fresh.note(name, value)
    text = "".join(_documents(text, fresh, streamed=streamed))
    text = masked(_dates(fresh.replace(text)))
    body = text.encode()
    if len(body) != len(answer.body):
        raise SecretLeft(f"{seed}: scrubbing has changed the length of the body", "mend tools/record/scrub.py")
    return Scrubbed(_headers(answer, fresh), body, fresh.taken)


def _headers(answer: Answer, fresh: _Fresh) -> dict[str, str]:
    kept = {name: masked(fresh.replace(value)) for name in KEPT_HEADERS if (value := answer.header(name))}
    return kept | {name: fresh.id(value) for name in REQUEST_IDS if (value := answer.header(name))}


@dataclass(slots=True)
class _Fresh:
    """What stands in for what: one value always gets the same stand-in, numbered in order of appearance."""

    seed: str
    taken: dict[str, str] = field(default_factory=dict)

    def id(self, value: str) -> str:
        """An id of the same form and length."""
        if value not in self.taken:
            # What all ids of a kind begin with is kept by `fresh_id`, but for the version of this one.
            head = _VERSION if value.startswith(_VERSION) else ""
            self.taken[value] = head + fresh_id(value.removeprefix(head), f"{self.seed}|{len(self.taken)}")
        return self.taken[value]

    def secret(self, value: str) -> str:
        """Random characters of the same alphabet and number. Long and one of a kind: not looked for elsewhere."""
        return fresh_secret(value, f"{self.seed}|{len(self.taken)}")

    def account(self, value: str) -> str:
        """The same number of fillers."""
        self.taken.setdefault(value, "*" * len(value))
        return self.taken[value]

    def note(self, name: str, value: str) -> None:
        """A header's value is taken out wherever it turns up; of cookies each value."""
        if name in REQUEST_IDS:
            self.id(value)
            return
        for piece in _pieces(name, value):
            if len(piece) >= _SHORTEST and piece.lower() not in _WORDS:
                self.account(piece)

    def replace(self, text: str) -> str:
        """The text with every value that was taken out replaced, the longest first."""
        for value in sorted(self.taken, key=len, reverse=True):
            if len(value) >= _SHORTEST and value.isascii():
                text = text.replace(value, self.taken[value])
        return text


def _pieces(name: str, value: str) -> Iterable[str]:
    """What in a header's value stands for itself."""
    if "cookie" in name:
        return [value.partition(";")[0].partition("=")[2].strip()]
    # Behind its dash a ray has the place of the machine.
    return [value, value.partition("-")[0]] if "ray" in name else [value]


def _documents(text: str, fresh: _Fresh, *, streamed: bool) -> Iterator[str]:
    """The body's JSON with ids, accounts, ciphertext and times exchanged; all else as it is."""
    if not streamed or not _DATA.search(text):
        yield _exchanged(text, fresh) if text.lstrip()[:1] in ("{", "[") else text
        return
    at = 0
    for match in _LINE_END.finditer(text):
        yield _line(text[at : match.start()], fresh)
        yield match[0]
        at = match.end()
    yield _line(text[at:], fresh)


def _line(line: str, fresh: _Fresh) -> str:
    field_ = _DATA.match(line)
    return line if field_ is None else field_[0] + _exchanged(line[field_.end() :], fresh)


def _exchanged(text: str, fresh: _Fresh) -> str:
    out: list[str] = []
    at = 0
    for token in tokens(text):
        if token.form in (Form.STRING, Form.NUMBER) and not in_arguments(token.path):
            new = _literal(text[token.start : token.end], token, fresh)
            out += [text[at : token.start], new]
            at = token.end
    return "".join([*out, text[at:]])


def _literal(literal: str, token: Token, fresh: _Fresh) -> str:
    key = next((step for step in reversed(token.path) if isinstance(step, str)), "")
    what = _KEYS.get(key)
    if token.form is Form.NUMBER:
        if what is _What.TIME:
            return fresh_time(literal)
        return "1" * len(literal) if what is _What.ACCOUNT and literal.isdecimal() else literal
    value = "".join(char for _, char in units(literal))
    if not value:
        return literal
    match what:
        case _What.ID:
            return written(literal, fresh.id(value))
        case _What.SECRET:
            return written(literal, fresh.secret(value))
        case _What.ACCOUNT:
            return written(literal, fresh.account(value))
    return literal


def _dates(text: str) -> str:
    """The text with one date, of no client and no server, in the form of each that it holds."""
    return _HTTP_DATE.sub(_NO_DAY, _ISO_TIME.sub(_no_time, text))


def _no_time(match: re.Match[str]) -> str:
    digits = iter(_NO_DIGITS)
    return "".join(next(digits, "0") if char.isdigit() else char for char in match[0])


def survivors(scrubbed: Scrubbed, text: str) -> list[str]:
    """The values that a text still holds, though they were taken out."""
    exchanged = (value for value, fresh in scrubbed.taken.items() if value != fresh and len(value) >= _SHORTEST)
    return [value for value in exchanged if value in text]
