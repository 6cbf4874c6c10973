"""A trace taken along: as a record to replay, as states for other tools, as a test, as a drawing.

A trace leads from where it begins to its end by answers alone; what it means is worked out by playing it again.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from ..dsl import Ruleset, rules
from ..interpreter import Answer, FocusEngine, Reference, RulesFault, State
from ..interpreter.layout import IN, Layout
from ..interpreter.options import value_text
from ..interpreter.playing import Fault, Limits
from ..interpreter.records import Ending, Record, read_record, record_text, step, steps
from ..interpreter.watch import Watch
from ..interpreter.words import value_text as words
from .verdicts import Finding, Trace

AGENT = "verify"
"""Who played, in a record of what was searched for."""

LONGEST = 60
"""Letters of a property's name that go into the name of a file."""


def files(
    finding: Finding, engine: Reference, start: State | None = None, taken: set[str] | None = None
) -> dict[str, str]:
    """All that can be taken along of a finding's trace: texts by names of files. `start` is where the trace begins, if
    not where the game does; then there is no record of it. `taken`: names that others have."""
    trace = finding.trace
    assert trace is not None
    focus = engine.focus.name if isinstance(engine, FocusEngine) else finding.name
    wanted = _identifier(finding.name if focus == finding.name else f"{focus} {finding.name}")[:LONGEST]
    taken = set() if taken is None else taken
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    taken.add(name)
    made = {
        f"{name}.itf.json": json.dumps(itf(engine, trace, start), indent=1, ensure_ascii=False) + "\n",
        f"{name}.mmd": mermaid(finding),
    }
    if trace.record:
        made[f"{name}.record"] = trace.record
        if trace.other:
            made[f"{name}.other"] = trace.other
        if finding.verdict == "refuted":
            made[f"test_{name}.py"] = pytest_file(finding)
    return made


# ---- record --------------------------------------------------------------------------------------------


def record(ruleset: Ruleset, engine: Reference, answers: tuple[int | Answer, ...], seed: int = 1) -> str:
    """The game of these answers, from its start, as the text that `regelwerk replay` plays; up to a fault in the rules,
    which may come before the last answer if that refutes another property."""
    engine = Reference(engine.game, engine.players, engine.options, limit=engine.limit)  # it may have had a watch
    ending, played = Ending(), 0
    try:
        table = engine.table()
        for played, answer in enumerate(answers, 1):  # noqa: B007  # a fault may stop it before the last one
            table.answer(answer)
        if table.request() is None:
            ending = Ending.of(table.result(), None)
    except RulesFault as fault:
        ending = Ending.of(None, Fault.of(fault))
    return record_text(
        Record(
            ruleset=ruleset.name,
            title=ruleset.game.title,
            fingerprint=ruleset.fingerprint,
            players=engine.players,
            options={option.name: value_text(option, engine.options[option.name]) for option in ruleset.game.options},
            seed=seed,
            game=0,
            agents=(AGENT,) * engine.players,
            limits=Limits(steps=engine.limit),
            steps=tuple(steps(engine, answers[:played])),
            ending=ending,
        )
    )


# ---- states --------------------------------------------------------------------------------------------


def itf(engine: Reference, trace: Trace, start: State | None = None) -> dict[str, Any]:
    """The states of a trace in the Informal Trace Format of Apalache and Quint, as plain data for JSON.

    Variables are what the rules and play keep, all of it; `step` in the `#meta` of a state is where play stands. A last
    answer after which there is no state, because the rules went wrong, is only named.
    """
    if isinstance(engine, FocusEngine):
        engine = FocusEngine(engine.game, engine.focus, True, engine.limit, Watch())
    else:
        engine = Reference(engine.game, engine.players, engine.options, limit=engine.limit, watch=Watch())
    labels = [name for slot, name in enumerate(engine.program.labels) if _is_kept(engine.program.layout, slot)]
    played = enumerate(_played(engine, trace, start))
    states = [_itf_state(engine, number, said, state) for number, (said, state) in played]
    about = {
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "description": trace.message,
    }
    if 0 < len(states) <= len(trace.answers):
        row = trace.rows[len(states) - 1]
        about["broken"] = f"{row.name}: {row.text}"
    made: dict[str, Any] = {"#meta": about, "vars": labels, "states": states}
    if trace.repeats is not None:
        made["loop"] = trace.repeats
        made["states"] = states[:-1]  # it is the one where the loop begins
    return made


def _played(engine: Reference, trace: Trace, start: State | None) -> Iterator[tuple[str, State]]:
    """Every state with the answer that led there, up to a fault."""
    try:
        table = engine.table(start)
        table.request()
        yield "", table.freeze()
        for answer in trace.answers:
            request = table.request()
            assert request is not None
            said = str(step(request, answer))
            table.answer(answer)
            yield said, table.freeze()
    except RulesFault:
        return


def _is_kept(layout: Layout, slot: int) -> bool:
    """Whether a slot says what no other does: where components lie follows from the zones."""
    return not layout.places <= slot < layout.places + layout.movable


def _itf_state(engine: Reference, number: int, said: str, state: State) -> dict[str, Any]:
    layout = engine.program.layout
    made: dict[str, Any] = {"#meta": {"index": number, "answer": said, "step": state.step}}
    for slot, (name, type_, value) in enumerate(zip(engine.program.labels, layout.types, state.values, strict=True)):
        if _is_kept(layout, slot):
            made[name] = _itf_value(layout, type_, value)
            if slot == IN or (slot in layout.zone_at and not layout.zone_at[slot][0].stacked):
                made[name] = {"#set": made[name]}
    return made


def _itf_value(layout: Layout, type_: rules.Type, value: Any) -> Any:
    match type_, value:
        case rules.Maybe(of), _:
            return _itf_value(layout, of, value)
        case rules.Many(of), tuple():
            return [_itf_value(layout, of, each) for each in value]
        case _, tuple():
            return {"#tup": [_itf_value(layout, type_, each) for each in value]}
        case rules.YesNo(), bool():
            return value
        case rules.Item(), int():
            kind = layout.kind_of[value]
            return f"{kind.rule.name}#{value - kind.first + 1}"
        case rules.Number(), int():
            return value if abs(value) < 2**53 else {"#bigint": str(value)}
    return words(type_, value)


# ---- test ----------------------------------------------------------------------------------------------

_TEST = '''"""{name}

{message}

Found by `regelwerk verify`. The test passes as long as that is so, and fails once the rules are mended.
"""
{imports}
RECORD = """\\
{record}"""


def test_{function}() -> None:
    """Still refuted: {name}"""
    record = read_record(RECORD)
    ruleset = load(record.ruleset)
    again = replay(record, ruleset.game, ruleset.fingerprint)

    assert again.same, again.problem
'''

_AND_VERIFY = """
    options = [part for name, value in record.options.items() for part in ("--set", f"{{name}}={{value}}")]
    command = [sys.executable, "-m", "regelwerk", "verify", record.ruleset, "--players", str(record.players), *options]
    found = subprocess.run([*command, "--property", {name!r}], capture_output=True, text=True)

    assert 1 == found.returncode, found.stdout + found.stderr
"""


def pytest_file(finding: Finding) -> str:
    """A file for pytest that asserts that a property is still refuted, by the trace.

    A trace is played again. Where that does not end with the fault that refutes the property, the property is verified
    again too.
    """
    trace = finding.trace
    assert trace is not None and trace.record
    fault = read_record(trace.record).ending.fault
    faulty = fault is not None and fault.message == trace.message
    imports = [
        "",
        "from regelwerk.dsl import load",
        "from regelwerk.interpreter.records import read_record, replay",
        "",
    ]
    return _TEST.format(
        name=_in_quotes(finding.name),
        message=_in_quotes(trace.message),
        imports="\n".join(imports if faulty else ["", "import subprocess", "import sys", *imports]),
        record=_in_quotes(trace.record),
        function=_identifier(finding.name),
    ) + ("" if faulty else _AND_VERIFY.format(name=finding.name))


def _in_quotes(text: str) -> str:
    """A text as it stands between three double quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _identifier(name: str) -> str:
    letters = (character if f"a{character}".isidentifier() else "_" for character in name.lower())
    return re.sub("__+", "_", "".join(letters)).strip("_")


# ---- drawing -------------------------------------------------------------------------------------------


def mermaid(finding: Finding) -> str:
    """A trace as a Mermaid flowchart: decisions are boxes, chance has pointed ends, arrows say what changed."""
    trace = finding.trace
    assert trace is not None
    last = len(trace.rows)
    drawn = ["flowchart TD", f"    s0([{_label('start', *trace.start)}])"]
    for row in trace.rows:
        who = "chance" if row.seat is None else f"seat {row.seat}"
        label = _label(f"{row.number} · {who}", f"{row.name}: {row.text}" if row.text else row.name)
        drawn.append(f"    s{row.number}" + (f"{{{{{label}}}}}" if row.seat is None else f"[{label}]"))
    drawn += [f"    s{number} -->{_changed(trace, number)} s{number + 1}" for number in range(last)]
    if trace.repeats is not None:
        drawn.append(f"    s{last} -.->{_changed(trace, last)} s{trace.repeats + 1}")
        end = f"s{last}"
    else:
        drawn.append(f"    over([{_label(trace.message or finding.name)}])")
        drawn.append(f"    s{last} -->{_changed(trace, last)} over")
        end = "over"
    if finding.verdict == "refuted":
        drawn += ["    classDef broken stroke:#c00,stroke-width:3px", f"    class {end} broken"]
    return "\n".join(drawn) + "\n"


def _changed(trace: Trace, number: int) -> str:
    """What the answer of a row changed."""
    changes = trace.rows[number - 1].changes if number else ()
    texts = [f"{change.what} {change.before} → {change.after}" for change in changes]
    return f"|{_label(*texts)}|" if texts else ""


_MARKED = re.compile(r"[^\w\s,:·→()/]|_")


def _label(*texts: str) -> str:
    """Texts below one another as a label; what would mean something to Mermaid or HTML is given by number."""
    made = [_MARKED.sub(lambda found: f"#{ord(found[0])};", " ".join(text.split())) for text in texts]
    return f'"{"<br/>".join(made)}"'
