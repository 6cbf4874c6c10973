"""What a verification found, as lines for people, as plain data, as JUnit XML and as SARIF.

Knows no terminal: a line has a tone, and whoever prints it picks the colour. No line is wider than was asked for.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Literal
from urllib.parse import quote
from xml.etree import ElementTree

import attrs

from .. import __version__
from ..dsl.render import columns
from ..dsl.source import Span
from .verdicts import Covered, Finding, Report, Row, Sample, Trace, Verdict

Tone = Literal["plain", "good", "bad", "warn", "quiet"]


@attrs.frozen
class Line:
    """A line for people, and how it is meant."""

    text: str = ""
    tone: Tone = "plain"


WIDTH = 80
INDENT = "  "
TITLE = 12
"""The column in which what follows `positions`, `why` and the like begins."""

TONES: Mapping[Verdict, Tone] = {
    "proved": "good",
    "holds_to_depth": "plain",
    "not_refuted": "plain",
    "refuted": "bad",
    "vacuous": "warn",
    "undecided": "warn",
}
PASSED = ("proved", "holds_to_depth", "not_refuted")

BROKEN = "<-- broken here"
MOST_ROWS = 40
"""Answers that are told of a game in which nothing is wrong."""
MISSING = 20
"""How many names are listed of what was never met; data for programs has all."""


# ---- a report ------------------------------------------------------------------------------------------


def lines(report: Report, saved: Mapping[str, str] | None = None, width: int = WIDTH) -> Iterator[Line]:
    """A report for people; `saved` says for names of properties in which file their record was written."""
    yield from _text([_headline(report)], width)
    yield from _text([f"fingerprint {report.fingerprint[:12]}", f"regelwerk {__version__}"], width, "quiet", " · ")
    yield Line()
    yield from _titled("positions", _extent(report), width)
    if report.interrupted:
        yield from _titled("", ["interrupted: what follows is what was known by then"], width, "warn")
    for note in report.notes:
        yield from _titled("", [note], width, "quiet")
    own = [finding for finding in report.findings if finding.kind == "author"]
    free = [finding for finding in report.findings if finding.kind == "free"]
    yield Line()
    yield from _findings(report, own, width)
    yield from _free(report, free, width)
    yield from _coverage(report.coverage, width)
    for finding in (*own, *free):
        if finding.verdict == "refuted" and finding.trace is not None:
            yield Line()
            yield from story(finding, (saved or {}).get(finding.name), width)


def _headline(report: Report) -> str:
    players = f"{report.players} player{'s' * (report.players != 1)}"
    options = [f"{name} = {_value(value)}" for name, value in report.options.items()]
    focus = [] if report.focus is None else [f'focus "{report.focus}"']
    return ", ".join([f"{report.title} ({report.ruleset})", players, *options, *focus, f"seed {report.seed}"])


def _value(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _extent(report: Report) -> list[str]:
    """How far the search came."""
    kinds = [f"{report.counts[kind]:,} {kind}" for kind in ("decisions", "chance", "ends") if kind in report.counts]
    found = f"{report.positions:,}{'' if report.complete else ' and more'}{':' * bool(kinds)}"
    reached = f"depth {report.depth}" if report.complete else f"every game of up to {_answers(report.depth)} looked at"
    games = [f"{report.counts['games']:,} random games"] if report.counts.get("games") else []
    how = "all looked at in" if report.complete else "stopped after"
    took = f"{how} {report.seconds:.2f} s" + (f" with {report.memory:,} MB" if report.memory else "")
    return [" ".join([found, ", ".join(kinds)]).strip(), reached, *games, took]


def _answers(number: int) -> str:
    return f"{number:,} answer{'s' * (number != 1)}"


# ---- verdicts ------------------------------------------------------------------------------------------


def word(finding: Finding, report: Report) -> str:
    """The verdict as it stands at the beginning of a line."""
    if finding.unchecked:
        return "unchecked"
    if finding.advice and finding.verdict not in PASSED:
        return "ADVICE"
    if finding.verdict == "proved" and finding.trace is not None:
        return "witnessed"
    if finding.verdict == "holds_to_depth":
        return f"HOLDS TO DEPTH {report.depth}"
    return finding.verdict.replace("_", " ").upper()


def reach(finding: Finding, report: Report) -> str:
    """How far the verdict reaches, or what is wrong."""
    if finding.unchecked:
        return finding.unchecked
    trace = finding.trace
    if trace is not None and finding.verdict == "proved":
        return finding.message or f"{'shortest' if trace.shortest else 'shown'}: {_answers(len(trace.rows))}"
    if finding.message:
        return finding.message
    match finding.verdict:
        case "proved":
            return f"{report.positions:,} position{'s' * (report.positions != 1)}"
        case "holds_to_depth":
            return f"all games of up to {_answers(report.depth)}"
        case "not_refuted":
            return f"{report.counts.get('games', 0):,} random games"
        case "refuted":
            return "" if trace is None else trace.message
        case "vacuous":
            return "never put to the test"
    return "not decided"


def _tone(finding: Finding) -> Tone:
    if finding.advice and finding.verdict == "refuted":
        return "warn"
    return "quiet" if finding.unchecked else TONES[finding.verdict]


def _findings(report: Report, findings: Sequence[Finding], width: int) -> Iterator[Line]:
    """A row for each property: verdict, name, and how far it reaches."""
    if not findings:
        return
    rows = [(word(finding, report), finding.name, reach(finding, report)) for finding in findings]
    widths = _widths([max(map(columns, cells)) for cells in zip(*rows, strict=True)], width)
    for finding, row in zip(findings, rows, strict=True):
        for text in _beside([wrap([cell], room) for cell, room in zip(row, widths, strict=True)], widths):
            yield Line(text, _tone(finding))
        for note in finding.notes:
            yield from _text([note], width, "quiet", indent=widths[0] + 4)


def _free(report: Report, free: Sequence[Finding], width: int) -> Iterator[Line]:
    """The free properties summed up, and a row for each that did not pass."""
    if not free:
        return
    passed = sum(finding.verdict in PASSED and not finding.unchecked for finding in free)
    sorts = Counter(word(finding, report).lower() for finding in free)
    tone: Tone = "good" if passed == len(free) else "plain"
    parts = [f"{passed} of {len(free)} passed: {', '.join(f'{number} {sort}' for sort, number in sorts.items())}"]
    yield from _titled("free checks", parts, width, tone)
    yield from _findings(report, [f for f in free if f.unchecked or f.verdict not in PASSED], width)


# ---- coverage ------------------------------------------------------------------------------------------


def _coverage(coverage: Sequence[Covered], width: int) -> Iterator[Line]:
    """How much of each sort was met, and what was not."""
    if not coverage:
        return
    met = [f"{each.sort} {len(each.seen & set(each.all))}/{len(each.all)}" for each in coverage]
    yield from _titled("coverage", [", ".join(met)], width)
    for each in coverage:
        if missing := [name for name in each.all if name not in each.seen]:
            more = f", and {len(missing) - MISSING:,} more" * (len(missing) > MISSING)
            yield from _titled("", [f"{each.sort} never met: {', '.join(missing[:MISSING])}{more}"], width, "warn")


# ---- a trace -------------------------------------------------------------------------------------------


def story(finding: Finding, saved: str | None = None, width: int = WIDTH) -> Iterator[Line]:
    """The game behind a verdict: what happened, why that is wrong, and where it stands in the rules."""
    trace = finding.trace
    if trace is None:
        return
    wrong = finding.verdict == "refuted"
    at = "" if finding.span is None else f"  {_place(finding.span)}"
    said = "witnessed" if not wrong else "ADVICE" if finding.advice else "REFUTED"
    yield from _text([f"{said}  {finding.name}{at}"], width, _tone(finding) if wrong else "good")
    examined = f" ({trace.examined:,} positions looked at)" if trace.examined else ""
    proved = f"proved shortest{examined}" if trace.shortest else f"not proved shortest{examined}"
    yield from _text([f"{_answers(len(trace.rows))}, {proved}"], width, "quiet", indent=2)
    yield Line()
    yield from _table(trace, wrong, width)
    yield Line()
    yield from _why(trace, width)
    if trace.other:
        yield from _titled(
            INDENT + "beside", ["another game looks the same up to there; saved, both can be replayed"], width
        )
    if saved is not None:
        yield from _titled(INDENT + "replay", [f"regelwerk replay {saved}"], width)


def passing(finding: Finding, report: Report, sample: Sample | None, width: int = WIDTH) -> Iterator[Line]:
    """Why a property that was not refuted is believed: how often it was looked at, and a game in which it holds."""
    at = "" if finding.span is None else f"  {_place(finding.span)}"
    yield from _text([f"{word(finding, report)}  {finding.name}{at}"], width, _tone(finding))
    looked = f"looked at {finding.evaluated:,} times" if finding.evaluated else ""
    if sample is None:
        yield from _text([looked or reach(finding, report)], width, "quiet", indent=2)
        return
    size = len(sample.trace.rows)
    yield from _text([*filter(None, [looked]), f"a game of {_answers(size)}"], width, "quiet", "; ", indent=2)
    yield Line()
    yield from _table(attrs.evolve(sample.trace, rows=sample.trace.rows[:MOST_ROWS]), False, width)
    if size > MOST_ROWS:
        yield from _text([f"and {_answers(size - MOST_ROWS)} more"], width, "quiet", indent=2)
    yield Line()
    for number, note in enumerate(sample.notes):
        yield from _titled(INDENT + "holds" if number == 0 else "", [note], width)


def _table(trace: Trace, wrong: bool, width: int) -> Iterator[Line]:
    """The game, a row for each answer; what chance gave stands apart from what players did."""
    rows = [("step", "who", "does", "chance", ["what changed"]), ("0", "", "start", "", list(trace.start))]
    for row in trace.rows:
        number = f"{row.number}{'*' * (row.matters is True)}"
        done = f"{row.name}: {row.text}" if row.text else row.name
        who, does, chance = ("", "", done) if row.seat is None else (f"seat {row.seat}", done, "")
        rows.append((number, who, does, chance, list(_changes(row, row is trace.rows[-1]))))
    shown = [0, 1, 2, 3] if any(cells[3] for cells in rows[1:]) else [0, 1, 2]
    needed = [max(columns(str(cells[column])) for cells in rows) for column in shown]
    widths = _widths([*needed, max(columns(part) + 1 for cells in rows for part in (*cells[4], BROKEN))], width)
    for place, cells in enumerate(rows):
        wrapped = [wrap([str(cells[column])], room) for column, room in zip(shown, widths, strict=False)]
        changed = wrap(cells[4], widths[-1], ", ")
        tone: Tone = "plain" if place else "quiet"
        if place == len(rows) - 1 and trace.repeats is None and wrong:
            changed, tone = [*filter(None, changed), *wrap([BROKEN], widths[-1])], "bad"
        for text in _beside([*wrapped, changed], widths):
            yield Line(text, tone)
    if trace.repeats is not None:
        told = f"repeats from {trace.repeats}: what comes after it can come again and again"
        yield from _titled("", [told], width, "bad")


def _changes(row: Row, last: bool) -> Iterator[str]:
    """What an answer changed; for the last one with the lines of the rules that did it."""
    for change in row.changes:
        line = f" (line {change.line})" if last and change.line is not None else ""
        yield f"{change.what} {change.before} -> {change.after}{line}"


def _why(trace: Trace, width: int) -> Iterator[Line]:
    if trace.message:
        yield from _titled(INDENT + "why", [trace.message], width)
    for side in trace.sides:
        yield from _titled("", [f"{side.text}  is  {side.value}"], width)
    if trace.span is not None and trace.span.source.name:
        yield from _titled(INDENT + "where", [_place(trace.span)], width)
        excerpt = trace.span.source.line(trace.span.line).expandtabs(4).rstrip()
        yield from _titled(f"{trace.span.line:>9} |", [excerpt], width, "quiet")
    tried = [row for row in trace.rows if row.matters is not None]
    if tried:
        matter = any(row.matters for row in tried)
        said = "*: another answer there does not lead here" if matter else "whatever is answered leads here"
        yield from _titled(INDENT + "choices", [said], width)


def _place(span: Span) -> str:
    return f"{span.source.name}:{span.line}"


# ---- fitting text into columns -------------------------------------------------------------------------


def wrap(parts: Iterable[str], width: int, between: str = " ") -> list[str]:
    """Parts put one after the other on lines that are no wider; a part that is too wide is broken, at its spaces
    first. Ends of lines inside a part, and what would not show, become spaces."""
    made: list[str] = []
    open_line = False
    width -= columns(between.rstrip())
    for part in parts:
        part = _shown(part)
        if open_line and columns(made[-1] + between + part) <= width:
            made[-1] += between + part
            continue
        if open_line:
            made[-1] = (made[-1] + between).rstrip()
        made += _broken(part, width) or [""]
        open_line = True
    return [line for line in made if line] or [""]


def _broken(part: str, width: int) -> list[str]:
    """A part on as many lines as it needs."""
    if columns(part) <= width:
        return [part]
    if " " in part:
        return wrap(part.split(" "), width)
    lines = [""]
    for character in part:
        if columns(lines[-1] + character) > width:
            lines.append("")
        lines[-1] += character
    return [line for line in lines if line]


_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def _shown(text: str) -> str:
    """A text on one line that shows as it is and moves nothing."""
    return _UNSHOWN.sub(" ", text)


def _widths(needed: Sequence[int], width: int) -> list[int]:
    """How wide columns may be that need so much: the widest give way first, and the last gets what is left."""
    room = width - len(INDENT) * len(needed)
    most = next(most for most in range(room, 0, -1) if most == 1 or sum(min(each, most) for each in needed) <= room)
    widths = [min(each, most) for each in needed]
    return [*widths[:-1], widths[-1] + room - sum(widths)]


def _beside(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    """Cells of several lines beside one another."""
    for number in range(max(len(cell) for cell in cells)):
        texts = [cell[number] if number < len(cell) else "" for cell in cells]
        padded = [INDENT + text + " " * (room - columns(text)) for text, room in zip(texts, widths, strict=True)]
        yield "".join(padded).rstrip()


def _text(
    parts: Sequence[str], width: int, tone: Tone = "plain", between: str = " ", indent: int = 0
) -> Iterator[Line]:
    """Parts on as many lines as they need."""
    for text in wrap(parts, width - indent, between):
        yield Line(" " * indent + text, tone)


def _titled(title: str, parts: Sequence[str], width: int, tone: Tone = "plain") -> Iterator[Line]:
    """Parts behind a word at the beginning of the line, or with none from its beginning."""
    room = width - TITLE
    for number, text in enumerate(wrap(parts, room, " · ")):
        yield Line(f"{title if number == 0 else '':<{TITLE}}{text}", tone)


# ---- plain data ----------------------------------------------------------------------------------------


def plain(report: Report) -> dict[str, Any]:
    """A report as plain data for JSON."""
    return {
        "ruleset": report.ruleset,
        "title": report.title,
        "fingerprint": report.fingerprint,
        "version": __version__,
        "players": report.players,
        "options": report.options,
        "focus": report.focus,
        "seed": report.seed,
        "positions": report.positions,
        "counts": report.counts,
        "depth": report.depth,
        "complete": report.complete,
        "interrupted": report.interrupted,
        "seconds": report.seconds,
        "notes": list(report.notes),
        "properties": [_plain_finding(finding, report) for finding in report.findings],
        "coverage": {
            each.sort: {
                "all": len(each.all),
                "seen": len(each.seen & set(each.all)),
                "missing": [name for name in each.all if name not in each.seen],
            }
            for each in report.coverage
        },
    }


def _plain_finding(finding: Finding, report: Report) -> dict[str, Any]:
    trace = finding.trace
    return {
        "name": finding.name,
        "kind": finding.kind,
        "verdict": finding.verdict,
        "advice": finding.advice,
        "unchecked": finding.unchecked or None,
        "message": reach(finding, report),
        "evaluated": finding.evaluated,
        **_plain_place(finding.span),
        "notes": list(finding.notes),
        "trace": None if trace is None else [attrs.asdict(row) for row in trace.rows],
        "shortest": trace is not None and trace.shortest,
        "game": None if trace is None else _plain_game(trace),
    }


def _plain_game(trace: Trace) -> dict[str, Any]:
    """What there is to say of a trace besides its rows."""
    return {
        "start": list(trace.start),
        "message": trace.message,
        **_plain_place(trace.span),
        "sides": [attrs.asdict(side) for side in trace.sides],
        "repeats": trace.repeats,
        "examined": trace.examined,
        "record": trace.record,
        "other": trace.other or None,
    }


def _plain_place(span: Span | None) -> dict[str, Any]:
    if span is None or not span.source.name:
        return {"file": None, "line": None}
    return {"file": span.source.name, "line": span.line}


# ---- JUnit ---------------------------------------------------------------------------------------------


def junit(reports: Sequence[Report]) -> str:
    """Reports as JUnit XML: a suite for each, a case for each property. What is refuted is a failure, what is vacuous
    or undecided an error, what the rules leave unchecked is skipped. Advice passes."""
    root = ElementTree.Element("testsuites", name="regelwerk verify")
    totals = Counter[str]()
    for report in reports:
        suite, counts = _suite(report)
        root.append(suite)
        totals += counts
    root.attrib |= _counted(totals, sum(report.seconds for report in reports))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def _suite(report: Report) -> tuple[ElementTree.Element, "Counter[str]"]:
    suite = ElementTree.Element("testsuite", name=_xml(_headline(report)))
    counts = Counter[str](tests=len(report.findings))
    properties = ElementTree.SubElement(suite, "properties")
    for name in ("ruleset", "fingerprint", "players", "seed", "focus", "positions", "depth", "complete"):
        ElementTree.SubElement(properties, "property", name=name, value=_xml(str(getattr(report, name))))
    for finding in report.findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(f"{report.ruleset}.{finding.kind}"), name=_xml(finding.name)
        )
        verdict, said = word(finding, report), _xml(reach(finding, report))
        if finding.unchecked:
            counts["skipped"] += 1
            ElementTree.SubElement(case, "skipped", message=said)
        elif finding.verdict in PASSED or finding.advice:
            ElementTree.SubElement(case, "system-out").text = f"{verdict}: {said}"
        else:
            sort = "failure" if finding.verdict == "refuted" else "error"
            counts[f"{sort}s"] += 1
            problem = ElementTree.SubElement(case, sort, type=verdict, message=said)
            problem.text = _xml("\n".join(line.text for line in story(finding)))
    suite.attrib |= _counted(counts, report.seconds)
    return suite, counts


def _counted(counts: Mapping[str, int], seconds: float) -> dict[str, str]:
    sorts = ("tests", "failures", "errors", "skipped")
    return {**{sort: str(counts.get(sort, 0)) for sort in sorts}, "time": f"{seconds:.3f}"}


_NO_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def _xml(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)


# ---- SARIF ---------------------------------------------------------------------------------------------

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(reports: Sequence[Report]) -> dict[str, Any]:
    """Reports as SARIF 2.1.0, as plain data for JSON: an error for each property that is refuted, a warning for each
    that is vacuous or undecided, a note for advice."""
    findings = {_rule_id(finding): finding for report in reports for finding in report.findings}
    order = {rule: number for number, rule in enumerate(findings)}
    results = [
        _result(finding, report, order[_rule_id(finding)])
        for report in reports
        for finding in report.findings
        if finding.verdict not in PASSED and not finding.unchecked
    ]
    rules = [{"id": rule, "shortDescription": {"text": finding.name}} for rule, finding in findings.items()]
    run = {
        "tool": {"driver": {"name": "regelwerk verify", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not any(report.interrupted for report in reports)}],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule_id(finding: Finding) -> str:
    return f"{finding.kind}/{finding.name}"


def _result(finding: Finding, report: Report, rule: int) -> dict[str, Any]:
    said = [f"{word(finding, report)}: {finding.name}", reach(finding, report), "", *(x.text for x in story(finding))]
    result = {
        "ruleId": _rule_id(finding),
        "ruleIndex": rule,
        "level": "note" if finding.advice else "error" if finding.verdict == "refuted" else "warning",
        "message": {"text": "\n".join(said).strip()},
        "properties": {"verdict": finding.verdict, "players": report.players, "options": report.options},
    }
    spans = [finding.span, finding.trace.span if finding.trace else None]
    places = [_location(span) for span in dict.fromkeys(spans) if span is not None and span.source.name]
    if not places and report.file:
        places = [{"physicalLocation": {"artifactLocation": {"uri": _uri(report.file)}}}]
    if places:
        result["locations"] = places[:1]
    if places[1:]:
        result["relatedLocations"] = [{"id": 1, **places[1]}]
    return result


def _location(span: Span) -> dict[str, Any]:
    head = span.head
    start, end = (span.source.place(offset) for offset in (head.start, head.end))
    region = {"startLine": start[0], "startColumn": start[1], "endLine": end[0], "endColumn": end[1]}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(span.source.name)}, "region": region}}


def _uri(file: str) -> str:
    """The name of a file as part of a URI: relative where it was given so."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
