"""What can be put into the matrix: one requirements file an adapter, and versions of its library. Nothing is run here.

A requirements file is pip's own form. Comments at its top say what it is for:

    # library: NAME          the distribution under test
    # adapter: ...           what `--adapter` gets where that is not the file's name
    # npm: FOLDER            a folder with a package-lock.json to install beside it
    # known: FILE            known failures, where the suite does not find them by the adapter's name
    # start: COMMAND         what runs beside the suite (a gateway)
    # set: NAME=VALUE        a variable of that command's environment

`{root}` stands for the root of this repository, `{bin}` for the environment's programs, `{port}` and `{upstream}` for
the ports that the command listens at and calls, `{upstream_url}` for the address of the latter.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.errors import BadOption

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = Path(__file__).parent / "requirements"

_HEADER = re.compile(r"# (library|adapter|npm|start|set|known): (.+)")
_PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9.!+_-]+)")


@dataclass(frozen=True, slots=True)
class Subject:
    """One row of the matrix.

    Attributes:
        name: how the row is called: an adapter, or `LIBRARY==VERSION`.
        adapter: what `--adapter` gets.
        library: the distribution under test, or "".
        requirements: lines for pip: exact pins, or the one version that is compared.
        npm: a folder to run `npm ci` in.
        extra: the extra of our package that names what the library needs, where not everything is pinned.
        start: a command to run beside the suite; its first `{port}` is waited for.
        variables: of that command's environment.
        known: a file of known failures, where the suite does not find it by the adapter's name.
    """

    name: str
    adapter: str
    library: str = ""
    requirements: tuple[str, ...] = field(default=(), repr=False)
    npm: Path | None = None
    extra: str | None = None
    start: str | None = None
    variables: tuple[tuple[str, str], ...] = ()
    known: Path | None = None

    @property
    def slug(self) -> str:
        """The row's name as a file name."""
        return re.sub(r"[^A-Za-z0-9._-]", "-", self.name)

    @property
    def digest(self) -> str:
        """Changes with everything that an environment is made from."""
        lock = (self.npm / "package-lock.json").read_text(encoding="utf-8") if self.npm else ""
        made_from = (self.requirements, self.extra, lock, self.start, self.variables)
        return hashlib.sha256(repr(made_from).encode()).hexdigest()[:16]


def every(folder: Path = REQUIREMENTS) -> dict[str, Subject]:
    """Every adapter that has a requirements file, by name."""
    return {path.stem: _read(path) for path in sorted(folder.glob("*.txt"))}


def chosen(names: list[str], folder: Path = REQUIREMENTS) -> list[Subject]:
    """The named adapters, or all of them.

    Raises:
        BadOption: there is no requirements file for a name.
    """
    known = every(folder)
    return [_of(name, known) for name in dict.fromkeys(names)] if names else list(known.values())


def versions(text: str, folder: Path = REQUIREMENTS) -> list[Subject]:
    """Subjects for `LIBRARY==VERSION,...`, where LIBRARY is a distribution or the adapter's name.

    Raises:
        BadOption: the list is not of that form, names one version only, or a library that no adapter is for.
    """
    known = every(folder)
    by_library = {subject.library: subject for subject in known.values() if subject.library} | known
    found = []
    for item in (part.strip() for part in text.split(",")):
        match = _PIN.fullmatch(item)
        if match is None:
            raise BadOption(f"--versions: {item!r} is no LIBRARY==VERSION", "e.g. litellm==1.98.1,litellm==1.110.2")
        subject = _of(match[1], by_library)
        if not subject.library:
            raise BadOption(f"--versions: {subject.name} is no one library", "name an adapter that a library is behind")
        pin = f"{subject.library}=={match[2]}"
        found.append(replace(subject, name=pin, requirements=(pin,), extra=subject.name))
    counts = {subject.library: sum(1 for other in found if other.library == subject.library) for subject in found}
    for library, count in counts.items():
        if count == 1:
            raise BadOption(f"--versions names {library} once", "two versions at least make a comparison")
    return found


def _of(name: str, known: dict[str, Subject]) -> Subject:
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=3)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    raise BadOption(f"no adapter {name!r} in the matrix", f"{meant}there are {', '.join(known)}")


def _read(path: Path) -> Subject:
    lines = path.read_text(encoding="utf-8").splitlines()
    said = {match[1]: match[2].strip() for line in lines if (match := _HEADER.fullmatch(line.strip()))}
    npm = said.get("npm")
    variables = [match[2] for line in lines if (match := _HEADER.fullmatch(line.strip())) and match[1] == "set"]
    adapter = said.get("adapter", path.stem)
    return Subject(
        name=path.stem,
        adapter=adapter.replace("{root}", str(ROOT)),
        library=said.get("library", ""),
        requirements=tuple(line.strip() for line in lines if line.strip() and not line.startswith("#")),
        npm=ROOT / npm if npm else None,
        start=said.get("start"),
        known=ROOT / said["known"] if "known" in said else None,
        variables=tuple((name, value) for name, _, value in (text.partition("=") for text in variables)),
    )
