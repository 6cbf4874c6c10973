"""One verification: a subject looked at, judged, and reported."""

import sys
import time

from ..interpreter.options import plain_values
from .findings import Findings
from .graph import CHANCE, END
from .looking import Looking
from .verdicts import Report


def verify(looking: Looking, only: str | None = None) -> Report:
    """Look at a subject and say what was found, of all properties or of the one called `only`."""
    began = time.monotonic()
    findings, graph, ruleset = Findings(looking, only), looking.search.graph, looking.subject.ruleset
    looking.run(only, findings.looking)
    found = findings.all()
    return Report(
        ruleset=ruleset.name,
        title=ruleset.game.title,
        fingerprint=ruleset.fingerprint,
        players=looking.engine.players,
        options=plain_values(ruleset.game, looking.engine.options),
        focus=None if looking.subject.focus is None else looking.subject.focus.name,
        seed=looking.seed,
        positions=len(graph),
        depth=looking.search.depth,
        complete=graph.complete,
        seconds=time.monotonic() - began,
        findings=found,
        coverage=findings.coverage(),
        notes=findings.notes(),
        interrupted=looking.stop,
        counts={
            "decisions": sum(1 for owner in graph.owner if owner >= 0),
            "chance": graph.owner.count(CHANCE),
            "ends": graph.owner.count(END),
            "games": looking.walks.games.total(),
        },
        memory=memory(),
        file=ruleset.sources[0].name,
    )


def memory() -> int:
    """The most memory this process has used, in megabytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most // 2**20 if sys.platform == "darwin" else most // 2**10)


def exit_code(report: Report, proof: bool = False) -> int:
    """1 if something is refuted, 3 if something is undecided or was never put to the test (or, where `proof` is asked
    for, not proved), else 0. What is only advice counts for nothing."""
    counted = [finding for finding in report.findings if not finding.unchecked and not finding.advice]
    if any(finding.verdict == "refuted" for finding in counted):
        return 1
    short = {"undecided", "vacuous", *(("holds_to_depth", "not_refuted") if proof else ())}
    return 3 if any(finding.verdict in short for finding in counted) else 0
