"""How credentials, cookies, account ids and addresses look, as text patterns. Opens no file.

A key that has no form of its own (forty random letters) cannot be told from any other text: who knows
such a key must search for its value.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

FILLER = "*"
"""What stands in for a secret's characters. It is in no pattern's alphabet, so what was masked is found no more."""

_WORD = r"(?<![A-Za-z0-9_-])"
_ZERO = re.compile(r"[0-9A-Fa-f]")

# For documentation (RFC 5737, RFC 3849), for one machine or one network: they tell nothing of anybody.
_NOBODYS = tuple(map(ipaddress.ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")))


def _is_address(text: str) -> bool:
    """Whether a text is the address of some machine in the world."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    nobodys = any(address.version == net.version and address in net for net in _NOBODYS)
    return not (nobodys or address.is_loopback or address.is_unspecified or address.is_multicast)


def _is_six(text: str) -> bool:
    """An IPv6 address, and no `a::b` of a programming language."""
    return text.count(":") >= 2 and sum(map(bool, text.split(":"))) >= 3 and _is_address(text)


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of secret.

    Attributes:
        name: for messages.
        pattern: the group `keep`, where there is one, is what may stay: a prefix that is public.
        anchors: one of these occurs wherever the pattern matches, in lower case; empty: always look.
        holds: a last look at what matched.
        zeroed: masked by zeros, so that an address stays one.
        unsettled: text of our own may look so too: it is masked in a recording and not looked for elsewhere.
    """

    name: str
    pattern: re.Pattern[str]
    anchors: tuple[str, ...] = ()
    holds: Callable[[str], bool] = bool
    zeroed: bool = False
    unsettled: bool = False


def _form(name: str, pattern: str, *anchors: str) -> Form:
    return Form(name, re.compile(pattern), anchors)


FORMS: tuple[Form, ...] = (
    # The vendors, and hosts that speak their protocols. OpenAI's, Anthropic's, OpenRouter's and DeepSeek's begin alike.
    _form("API key (sk-)", _WORD + r"(?P<keep>sk-(?:(?:ant|or|proj|svcacct|admin|None)-)?)[A-Za-z0-9_-]{16,}", "sk-"),
    _form("session key (sess-)", _WORD + r"(?P<keep>sess-)[A-Za-z0-9]{20,}", "sess-"),
    _form("Google API key", _WORD + r"(?P<keep>AIza)[A-Za-z0-9_-]{30,}", "aiza"),
    _form("Google API key (AQ.)", _WORD + r"(?P<keep>AQ\.)[A-Za-z0-9_-]{20,}", "aq."),
    _form("Google access token", _WORD + r"(?P<keep>ya29\.)[A-Za-z0-9._-]{20,}", "ya29."),
    _form("Google client secret", _WORD + r"(?P<keep>GOCSPX-)[A-Za-z0-9_-]{20,}", "gocspx-"),
    _form("Google service account", r"[a-z0-9-]{4,}@[a-z0-9-]+\.iam\.gserviceaccount\.com", ".iam.gserv"),
    _form("xAI key", _WORD + r"(?P<keep>xai-)[A-Za-z0-9]{20,}", "xai-"),
    _form("Groq key", _WORD + r"(?P<keep>gsk_)[A-Za-z0-9]{20,}", "gsk_"),
    _form("Hugging Face token", _WORD + r"(?P<keep>hf_)[A-Za-z0-9]{30,}", "hf_"),
    _form("Perplexity key", _WORD + r"(?P<keep>pplx-)[A-Za-z0-9]{20,}", "pplx-"),
    _form("Replicate token", _WORD + r"(?P<keep>r8_)[A-Za-z0-9]{30,}", "r8_"),
    _form("AWS access key", r"(?<![A-Za-z0-9])(?P<keep>AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])", "akia", "asia"),
    _form("GitHub token", _WORD + r"(?P<keep>gh[pousr]_|github_pat_)[A-Za-z0-9_]{30,}", "gh", "github_pat_"),
    _form("GitLab token", _WORD + r"(?P<keep>glpat-)[A-Za-z0-9_-]{20,}", "glpat-"),
    _form("Slack token", _WORD + r"(?P<keep>xox[abprs]-)[A-Za-z0-9-]{16,}", "xox"),
    _form("Stripe key", _WORD + r"(?P<keep>[sr]k_live_)[A-Za-z0-9]{16,}", "k_live_"),
    _form("PyPI token", _WORD + r"(?P<keep>pypi-)Ag[A-Za-z0-9_-]{30,}", "pypi-"),
    _form("npm token", _WORD + r"(?P<keep>npm_)[A-Za-z0-9]{30,}", "npm_"),
    _form("JSON web token", r"(?<![A-Za-z0-9])(?P<keep>eyJ)[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}", "eyj"),
    _form(
        "private key",
        r"(?P<keep>-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----)(?:\\+[nr]|[A-Za-z0-9+/=\s]){32,}",
        "private key-----",
    ),
    _form("authorization", r"(?P<keep>(?i:\bbearer |\bbasic ))[A-Za-z0-9._~+/=-]{20,}", "bearer ", "basic "),
    _form(
        "key in an address",
        r"(?P<keep>[?&](?i:(?:api[_-]?)?key|access_token|token)=)[A-Za-z0-9._~%+/-]{12,}",
        "key=",
        "token=",
    ),
    # A key that an error message has masked itself: it shows its first and its last characters.
    Form(
        "masked key",
        re.compile(r"[A-Za-z0-9_-]{2,}\*{4,}[A-Za-z0-9_-]{2,}"),
        ("****",),
        unsettled=True,
    ),
    _form(
        "cookie",
        r"(?P<keep>\b(?:__cf_bm|_cfuvid|cf_clearance|__Secure-[\w-]+)=)[A-Za-z0-9._%+/=-]{8,}",
        "__cf_bm=",
        "_cfuvid=",
        "cf_clearance=",
        "__secure-",
    ),
    _form(
        "organisation, project or user",
        _WORD + r"(?P<keep>org-|proj_|wrkspc_|user-)[A-Za-z0-9]{16,}",
        *("org-", "proj_", "wrkspc_", "user-"),
    ),
    _form(
        "account id",
        r"(?P<keep>(?i:organi[sz]ation|workspace|account|project)[\w ]{0,20}[ :='\"(\\]{1,6})"
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        *("organi", "workspace", "account", "project"),
    ),
    Form("Google project", re.compile(r"(?P<keep>\bprojects?(?:/|=| |%2[Ff]|\" ?: ?\"))\d{6,}"), ("project",)),
    Form(
        "IPv4 address",
        # not the version that a package is pinned to
        re.compile(r"(?<![\w.-])(?<!==)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w-]|\.\d)"),
        holds=_is_address,
        zeroed=True,
    ),
    Form(
        "IPv6 address",
        re.compile(r"(?<![\w:.])[0-9A-Fa-f]{1,4}(?::{1,2}[0-9A-Fa-f]{1,4}){2,7}(?![\w:.])"),
        holds=_is_six,
        zeroed=True,
    ),
)
"""Every kind that is looked for."""


class Hit(NamedTuple):
    """Where a text holds a secret: `start` to `end`, of which the first `keep` characters are public."""

    form: Form
    start: int
    end: int
    keep: int


def find(text: str, *, settled: bool = False) -> Iterator[Hit]:
    """The secrets in a text, kind by kind.

    Args:
        text: any text.
        settled: leave out what text of our own may look like too.
    """
    lower = text.lower()
    for form in FORMS:
        if settled and form.unsettled:
            continue
        if form.anchors and not any(anchor in lower for anchor in form.anchors):
            continue
        for match in form.pattern.finditer(text):
            if form.holds(match[0]):
                keep = match.end("keep") - match.start() if "keep" in form.pattern.groupindex else 0
                yield Hit(form, match.start(), match.end(), keep)


def masked(text: str) -> str:
    """The text with every secret masked, each by as many characters as it had; white space stays."""
    for hit in find(text):
        whole = text[hit.start : hit.end]
        text = text[: hit.start] + whole[: hit.keep] + _mask(hit.form, whole[hit.keep :]) + text[hit.end :]
    return text


def _mask(form: Form, secret: str) -> str:
    if form.zeroed:
        return _ZERO.sub("0", secret)
    return "".join(char if char.isspace() else FILLER for char in secret)
