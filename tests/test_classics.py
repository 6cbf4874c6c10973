"""The classics: the figures of the literature, worked out from the rules files, and what `docs/classics.md` says.

Everything here is exact, from the engine's own chances. Where a game can be walked to its end, `exact` does it; where
positions come again, the equations between them are solved (`Ways`).

`pytest --update tests/test_classics.py` writes the tables of the page.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pytest

from regelwerk.dsl import Ruleset, Source, library, load, load_text, syntax
from regelwerk.dsl.check.names import FUNCTIONS
from regelwerk.dsl.parse import parse
from regelwerk.interpreter import Reference, State, Table, TurnTaken
from regelwerk.interpreter.exact import UNIFORM, distribution, results, value

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "classics.md"

loaded: Callable[[str], Ruleset] = cache(load)


def of(name: str, players: int = 1, **options: int | bool) -> Reference:
    """An engine for one of the classics."""
    return Reference(loaded(f"classics/{name}").game, players, options)


def made(text: str, players: int = 1, **options: int | bool) -> Reference:
    """An engine for a variant written here."""
    return Reference(load_text(text, "made.rules").game, players, options)


def mean(spread: Mapping[int, Fraction]) -> Fraction:
    """The mean of a distribution."""
    return sum((number * chance for number, chance in spread.items()), Fraction(0))


def near(known: float, figure: float | Fraction) -> None:
    """A figure is what is known of it, in as many places as it is known."""
    places = len(str(known).partition(".")[2])

    assert known == round(float(figure), places)


# ---- games whose positions come again ------------------------------------------------------------------


@attrs.define
class Way:
    """Where a position leads: how likely to which others, and what it brings on the average until the next one."""

    to: dict[int, Any] = attrs.field(factory=dict)
    brings: list[Any] = attrs.field(factory=list)


class Ways:
    """How often a phase is passed, and who wins: solved from all positions that chance leads to."""

    def __init__(self, engine: Reference, phase: str, number: Callable[[Fraction], Any] = Fraction) -> None:
        """All positions of an engine's game; decisions are answered evenly. Reckons in fractions, or in `float`."""
        self.engine = engine
        self.phase = phase
        self.number = number
        self.keys = engine.keys()
        self.numbers: dict[bytes, int] = {}
        self.open: list[tuple[int, State]] = []
        self.ways: list[Way] = []
        self._number(engine.table())
        while self.open:
            number_, state = self.open.pop()
            self.ways[number_] = self._way(state)

    def _number(self, table: Table) -> int:
        key = table.key(self.keys)
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            self.ways.append(Way())
            self.open.append((self.numbers[key], table.freeze()))
        return self.numbers[key]

    def _way(self, state: State) -> Way:
        table = self.engine.table(state)
        request: Any = table.request()
        evenly = hasattr(request, "owner")
        outcomes = dict.fromkeys(range(len(request)), Fraction(1, len(request))) if evenly else dict(request.outcomes())
        way = Way(brings=[self.number(Fraction(0))] * (1 + self.engine.players))
        for answer, odds in outcomes.items():
            chance = self.number(odds)
            table.seek(state, request)
            table.answer(answer)
            passes = sum(isinstance(event, TurnTaken) and event.phase == self.phase for event in table.events)
            way.brings[0] += chance * passes
            if table.request() is None:
                for seat in table.result().winners:
                    way.brings[1 + seat] += chance
            else:
                then = self._number(table)
                way.to[then] = way.to.get(then, 0) + chance
        return way

    def solved(self) -> list[Any]:
        """The mean number of passes, then each seat's chance to be among the winners.

        One position after the other is taken out: whoever led to it leads to where it led.
        """
        before: list[set[int]] = [set() for _ in self.ways]
        for number, way in enumerate(self.ways):
            for then in way.to:
                before[then].add(number)
        for number in range(len(self.ways) - 1, -1, -1):
            way = self.ways[number]
            stays = self.number(Fraction(1)) / (1 - way.to.pop(number, 0))
            way.to = {then: chance * stays for then, chance in way.to.items()}
            way.brings = [each * stays for each in way.brings]
            for earlier in before[number] - {number}:
                led = self.ways[earlier]
                if chance := led.to.pop(number, 0):
                    for then, onward in way.to.items():
                        led.to[then] = led.to.get(then, 0) + chance * onward
                        before[then].add(earlier)
                    led.brings = [a + chance * b for a, b in zip(led.brings, way.brings, strict=True)]
            for then in way.to:
                before[then].discard(number)
        return self.ways[0].brings


# ---- Pig -----------------------------------------------------------------------------------------------


def pig_turn(target: int, strategy: str) -> dict[int, Fraction]:
    """What a turn brings to somebody who needs so many points."""
    return distribution(of("pig", 2, target=max(target, 2)), "points a turn", strategy)


def test_pig_hold_at_20_in_a_turn() -> None:
    """Holding at twenty brings 8.141795 points a turn, and nothing in 0.624541 of them."""
    turn = pig_turn(500, "hold_at_20")

    assert 1 == sum(turn.values())
    near(8.141795, mean(turn))
    near(0.624541, turn[0])
    assert turn == pig_turn(20, "hold_at_20")


@pytest.mark.parametrize("strategy", ["hold_at_15", "hold_at_25"])
def test_pig_holding_elsewhere_brings_less(strategy: str) -> None:
    """Nothing beats holding at twenty."""
    assert mean(pig_turn(500, strategy)) < mean(pig_turn(500, "hold_at_20"))


def test_pig_first_seat() -> None:
    """When both hold at twenty, the first seat wins 0.534698: from the engine's chances of a turn at each score."""
    goal = 100
    at = {needed: pig_turn(needed, "hold_at_20") for needed in range(1, 21)}
    turns = [{n: float(c) for n, c in at[min(goal - own, 20)].items()} for own in range(goal)]
    wins: dict[tuple[int, int], float] = {}

    def onward(own: int, other: int) -> float:
        """To win without a turn for nothing now."""
        return sum(
            chance * (1 if own + points >= goal else 1 - wins[other, own + points])
            for points, chance in turns[own].items()
            if points
        )

    for both in range(2 * goal - 2, -1, -1):
        for own in range(max(0, both - goal + 1), min(goal - 1, both) + 1):
            other = both - own
            if own <= other:
                a, b, p, q = onward(own, other), onward(other, own), turns[own][0], turns[other][0]
                wins[own, other] = (a + p * (1 - b - q)) / (1 - p * q)
                wins[other, own] = b + q * (1 - wins[own, other])

    near(0.534698, wins[0, 0])


def test_pig_to_20_nobody_holds() -> None:
    """To twenty points, holding is never better than throwing on, whatever the scores: `optimal_at_20` is optimal.

    Nobody banks anything then, so the chance to throw what one needs, taken from the engine, says who wins.
    """
    reach = [Fraction(1)] + [1 - pig_turn(needed, "optimal_at_20")[0] for needed in range(1, 21)]

    def to_win(mine: Fraction, others: Fraction) -> Fraction:
        """Whose turn it is, with so good a chance in each turn against so good a one."""
        return mine / (1 - (1 - mine) * (1 - others))

    for own in range(20):
        for other in range(20):
            for turn in range(2, 20 - own):
                hold = 1 - to_win(reach[20 - other], reach[20 - own - turn])
                needed = reach[20 - own - turn]
                throw = needed + (1 - needed) * (1 - to_win(reach[20 - other], reach[20 - own]))
                assert throw > hold
    near(0.6156, to_win(reach[20], reach[20]))


# ---- Craps ---------------------------------------------------------------------------------------------

CRAPS = """
variant "Craps, throws not counted" of classics/craps
end of phase throwing: throws = 0
"""


def test_craps() -> None:
    """The shooter wins 244 of 495 games, of 557/165 throws."""
    throws, won = Ways(made(CRAPS), "throwing").solved()

    assert Fraction(244, 495) == won
    assert Fraction(557, 165) == throws


def test_crapless_craps() -> None:
    """Without craps it is 6557 of 13860."""
    _, won = Ways(made(CRAPS, crapless=True), "throwing").solved()

    assert Fraction(6557, 13860) == won


# ---- races of chance alone -----------------------------------------------------------------------------


def test_snakes_and_ladders() -> None:
    """Alone, with an exact landing, it takes 39.2251 turns."""
    turns, won = Ways(of("snakes_and_ladders"), "turn", float).solved()

    near(39.2251, turns)
    near(1.0, won)


def test_snakes_and_ladders_bouncing() -> None:
    """Whoever bounces back from the last square takes 43.3246 turns."""
    turns, _ = Ways(of("snakes_and_ladders_bouncing"), "turn", float).solved()

    near(43.3246, turns)


def test_left_center_right() -> None:
    """Three players: 18.863 turns, those without chips counted, and the later the seat the better."""
    turns, *seats = Ways(of("left_center_right", 3), "turn", float).solved()

    near(18.863, turns)
    for known, won in zip((0.3068, 0.3280, 0.3651), seats, strict=True):
        near(known, won)


def test_tenzi() -> None:
    """Alone, with the face named beforehand: 16.565 throws for ten dice."""
    text = 'variant "Tenzi, throws not counted" of classics/tenzi\nstart of phase race: throws = 0\n'
    throws, _ = Ways(made(text), "race").solved()

    near(16.565, throws)


def test_coupons() -> None:
    """All six faces of a die have shown after 14.7 throws."""
    text = """
variant "Coupon Collector, throws not counted" of classics/coupons
end of phase throwing: throws = 0
replace bounds score: 0..1
"""
    throws, _ = Ways(made(text), "throwing").solved()

    assert Fraction(147, 10) == throws


# ---- Shut the Box, Blackjack ---------------------------------------------------------------------------


def test_shut_the_box_played_evenly() -> None:
    """Always two dice, each set of tiles that adds up as likely: 20.419 are left."""
    spread = distribution(of("shut_the_box", one_die=False), "left", UNIFORM)

    assert 1 == sum(spread.values())
    near(20.419, mean(spread))


def test_blackjack_like_the_dealer() -> None:
    """An infinite deck, and a player who draws as the dealer does, loses 0.05675 of the stake a game."""
    gain = value(of("blackjack"), 0, "like_the_dealer") / 2

    near(-0.05675, gain)


# ---- Goofspiel, Kuhn poker -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "order", "equal"),
    [
        (3, "by_chance", Fraction(5, 18)),
        (4, "by_chance", Fraction(7, 36)),
        # Even bids take no notice of the prize, so its order makes no difference, as it made none above.
        (3, "falling", Fraction(5, 18)),
        (4, "falling", Fraction(7, 36)),
        (5, "falling", Fraction(4, 45)),
    ],
)
def test_goofspiel_equal_totals(cards: int, order: str, equal: Fraction) -> None:
    """Two players who bid evenly, ties discarded, have equal totals so often."""
    orders = ("by_chance", "falling", "rising")
    game = of("goofspiel", 2, cards_in_suit=cards, prize_order=orders.index(order))

    assert equal == distribution(game, "equal totals")[1]


def test_kuhn_poker_played_evenly() -> None:
    """Who bets and passes evenly wins an eighth a game in the first seat, and loses it in the second."""
    assert Fraction(1, 8) == value(of("kuhn_poker", 2), 0)
    assert Fraction(-1, 8) == value(of("kuhn_poker", 2), 1)
    assert {(1, -1), (2, -2), (-1, 1), (-2, 2)} == {result.scores for result in results(of("kuhn_poker", 2))}


# ---- more than was asked for ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "well"), [((6, 7, 8), Fraction(1192, 1296)), ((2, 3, 12), Fraction(568, 1296))], ids=str
)
def test_cant_stop_the_next_throw(columns: tuple[int, int, int], well: Fraction) -> None:
    """How likely a throw goes well with climbers on the best and the worst three columns."""
    standing = "".join(f"    climber[{column}] = 1\n" for column in columns)
    game = made(f"""
variant "Can't Stop, three climbers" of classics/cant_stop
start of phase climbing:
{standing}
strategy once:
    go_on_or_stop: stop
""")
    spread = distribution(game, "nothing kept", "once")

    assert well == spread[0]


@pytest.mark.parametrize(("name", "measure"), [("yahtzee", "a yahtzee"), ("yacht", "a yacht")])
def test_five_alike(name: str, measure: str) -> None:
    """Who collects what there is most of has five alike after three throws in 347897/7558272."""
    assert Fraction(347897, 7558272) == distribution(of(name), measure, "collector")[1]


# ---- the page ------------------------------------------------------------------------------------------

LIBRARY = {entry.name: entry.kind for entry in library()}
CLASSICS = [name for name in LIBRARY if name.startswith("classics/")]
OTHERS = [name for name in LIBRARY if not name.startswith("classics/")]
GAMES = [name for name in CLASSICS if LIBRARY[name] == "game"]
VARIANTS = [name for name in CLASSICS if LIBRARY[name] == "variant"]
LARGE = {"yahtzee", "cant_stop"}
"""May have 150 lines; the others 60."""

PLAIN: dict[type[syntax.Node], str] = {
    syntax.Mapped: "`E for x in S` in a function",
    syntax.Keyed: "`S by n` in a function",
    syntax.Defaulted: "`default` in a function",
    syntax.Filtered: "`S where C`",
    syntax.Conditional: "`A if C else B`",
    syntax.IsEmpty: "`is empty`",
    syntax.Element: "parts `x[i]`",
    syntax.OrNone: "`… or none`",
    syntax.MemberType: "`type`",
    syntax.Throw: "`throw`",
    syntax.Shuffle: "`shuffle`",
    syntax.Turn: "`turn S to FACE`",
    syntax.Pay: "`pay`",
    syntax.Let: "`let`",
    syntax.Eliminate: "`eliminate`",
    syntax.EndGame: "`end game`",
    syntax.EndPass: "`end PHASE`",
    syntax.Leave: "`leave`",
    syntax.Again: "`again`",
    syntax.Break: "`break`",
    syntax.ChooseLabel: "`choose` among labels",
    syntax.MayChoose: "`may choose`",
    syntax.MustChoose: "`choose … else`",
    syntax.ChooseTogether: "`all … choose`",
    syntax.If: "`if`",
    syntax.Match: "`match`",
    syntax.RepeatTimes: "`repeat … times`",
    syntax.RepeatUntil: "`repeat until`",
    syntax.Option: "`option`",
    syntax.ConstantTable: "constant as a table",
    syntax.Teams: "`teams`",
    syntax.Use: "`use`",
    syntax.DerivedField: "field worked out from others",
    syntax.FacesBy: "faces by a field",
    syntax.Hide: "`hide … unless`",
    syntax.LabelFields: "`label`",
    syntax.Table: "items in a `table:`",
    syntax.Sheet: "`sheet`",
    syntax.EachPlayerHas: "`each player has`",
    syntax.Action: "`action`",
    syntax.Setup: "`setup`",
    syntax.Score: "`score`",
    syntax.Bounds: "`bounds`",
    syntax.Measure: "`measure`",
    syntax.Strategy: "`strategy`",
    syntax.Example: "`example`",
    syntax.Claim: "`claim`",
    syntax.Focus: "`focus`",
    syntax.Possible: "`possible`",
    syntax.Secret: "`secret`",
    syntax.Ends: "`ends …`",
    syntax.Only: "`invariant … only increases`",
    syntax.LeadsTo: "`invariant … leads to`",
    syntax.Unchecked: "`unchecked`",
    syntax.AtRandom: "policy `random`",
    syntax.FirstOption: "policy `first`",
    syntax.Best: "policy `best`",
    syntax.PolicyValue: "policy: a value",
    syntax.OptionDefault: "an option of a variant",
    syntax.Insert: "statements before, after or in a phase of a variant",
    syntax.Replace: "`replace`",
    syntax.Remove: "`remove`",
}


def constructs(node: syntax.Node) -> Iterator[str]:
    """What a node of the tree makes use of, in the words of the reference."""
    if type(node) in PLAIN:
        yield PLAIN[type(node)]
    match node:
        case syntax.Call(name=name) if name.text in FUNCTIONS:
            yield f"`{name.text}(…)`"
        case syntax.Binary(operator=operator) if operator in ("mod", "/", "/ up"):
            yield "`/` and `mod`"
        case syntax.Move(showing=showing, to=to):
            yield "`move`"
            if showing is not None:
                yield "`move … showing`"
            if to.at:
                yield "`move … to top of`, `bottom of`, `place … of`"
        case syntax.Draw(amount=amount, to=to):
            yield "`draw`" if amount.kind != "up to" else "`draw up to`"
            if to is None:
                yield "`draw` without moving"
        case syntax.Pick(weight=weight):
            yield "`pick`" if weight is None else "`pick … weighted`"
        case syntax.For(order=order):
            yield "`for`" if order is None else "`for … by`"
        case syntax.Zone(shape=shape, traits=traits):
            yield "`zone`"
            yield from ["zone with parts"] if shape else []
            yield from (f"`{trait.text}` zone" for trait in traits)
        case syntax.Variable(shape=shape, traits=traits):
            yield "`var`"
            yield from ["`var` with parts"] if shape else []
            yield from (f"`{trait.text}` variable" for trait in traits)
        case syntax.Phase(kind=syntax.Once()):
            yield "`phase`"
        case syntax.Phase(kind=syntax.Times()):
            yield "`phase … repeat … times`"
        case syntax.Phase(kind=syntax.Until()):
            yield "`phase … repeat until`"
        case syntax.EachPlayer() as each:
            yield "`phase … each player in turn`" if each.in_turn else "`phase … each player`"
            if each.alias is not None:
                yield "`each player … as`"
            if each.start is not None:
                yield "`each player … from`"
            if each.where is not None:
                yield "`each player … where`"
            if each.order is not None:
                yield "`each player … by`"
            if each.until is not None:
                yield "`each player … until`"
        case syntax.Definition(parameters=parameters):
            yield "`define` with parameters" if parameters else "`define`"
        case syntax.Constant(shape=shape):
            yield "constant with parts" if shape else "`constant`"
        case syntax.Faces(faces=faces):
            yield "faces from a range" if isinstance(faces, syntax.RangeType) else "faces one by one"
        case syntax.Winner(ranks=ranks):
            ranked = isinstance(ranks, tuple)
            yield "`winner: highest`, `lowest`" if ranked else "`winner:` a set of players"
            if ranked and len(ranks) > 1:  # type: ignore[arg-type]
                yield "`winner: … then`"
        case syntax.Invariant(moment=syntax.After()):
            yield "`invariant … after`"
        case syntax.Invariant(moment=syntax.AtEnd()):
            yield "`invariant … at end`"
        case syntax.Invariant():
            yield "`invariant` always"
    if isinstance(node, syntax.Choose | syntax.MayChoose | syntax.MustChoose | syntax.ChooseTogether):
        if isinstance(node, syntax.Choose):
            yield "`choose`"
        if len(node.parts) > 1:
            yield "`choose … and …`"
        if node.such_that is not None:
            yield "`such that`"
        if any(part.amount.kind != "one" for part in node.parts):
            yield "`choose` a set"
    if getattr(node, "owner", None) is not None:
        yield "`choose by`"


def nodes(node: object) -> Iterator[syntax.Node]:
    """A node and all below it."""
    if isinstance(node, syntax.Node):
        yield node
        for field in attrs.fields(type(node)):
            if field.name != "span":
                yield from nodes(getattr(node, field.name))
    elif isinstance(node, tuple):
        for each in node:
            yield from nodes(each)


@cache
def tree(name: str) -> syntax.File:
    """The syntax tree of a file of the library."""
    return parse(Source(name, text_of(name)), [])


def text_of(name: str) -> str:
    """The text of a file of the library."""
    return (ROOT / "rulesets" / f"{name}.rules").read_text("utf-8")


@cache
def used(name: str) -> frozenset[str]:
    """The constructs that a ruleset makes use of."""
    return frozenset(construct for node in nodes(tree(name)) for construct in constructs(node))


def lines_of(name: str, also: tuple[str, ...] = ()) -> int:
    """Lines without comments and tables, and without the sections that begin with these words."""
    count, counted = 0, True
    for line in text_of(name).splitlines():
        if not line.strip() or line.lstrip()[0] in "#|":
            continue
        if not line.startswith(" "):
            counted = line.split()[0] not in also
        count += counted
    return count


BESIDE = ("strategy", "measure", "claim", "example")


def base(name: str) -> str:
    """The game that a variant is of."""
    return re.search(r'^variant "[^"]*" of (\S+)', text_of(name), re.MULTILINE)[1]  # type: ignore[index]


def lines_table() -> str:
    """Each game with its lines and its variants."""
    rows = ["| game | the rules | the whole file | variants |", "|---|---|---|---|"]
    for name in GAMES:
        short = name.removeprefix("classics/")
        variants = [f"`{v.removeprefix('classics/')}`" for v in VARIANTS if base(v) == short]
        rows.append(f"| `{short}` | {lines_of(name, BESIDE)} | {lines_of(name)} | {', '.join(variants)} |")
    return "\n".join(rows)


@cache
def with_variants(name: str) -> frozenset[str]:
    """What a game of the classics makes use of, or one of its variants."""
    variants = [each for each in VARIANTS if f"classics/{base(each)}" == name]
    return used(name).union(*map(used, variants))


def constructs_table() -> str:
    """Each construct with the games that make use of it, those of few first."""
    uses = Counter(construct for name in GAMES for construct in with_variants(name))
    elsewhere = Counter(construct for name in OTHERS for construct in used(name))
    rows = ["| construct | classics | which | other rulesets |", "|---|---|---|---|"]
    for construct in sorted(uses | elsewhere, key=lambda c: (uses[c] + elsewhere[c], -uses[c], c)):
        names = [name.removeprefix("classics/") for name in GAMES if construct in with_variants(name)]
        without = [name.removeprefix("classics/") for name in GAMES if construct not in with_variants(name)]
        if not without:
            which = "all"
        elif len(without) < 5:
            which = f"all but {', '.join(without)}"
        else:
            which = ", ".join(names) or "–"
        total = uses[construct] + elsewhere[construct]
        shown = f"**{construct}**" if total == 1 else construct
        rows.append(f"| {shown} | {len(names)} | {which} | {elsewhere[construct]} |")
    return "\n".join(rows)


@pytest.mark.parametrize("table", [lines_table, constructs_table], ids=lambda made: made.__name__)
def test_tables_of_the_page(table: Callable[[], str], request: pytest.FixtureRequest) -> None:
    """The tables of the page are what the files say."""
    before, start, after = PAGE.read_text("utf-8").partition(f"<!-- {table.__name__} -->\n")
    shown, end, rest = after.partition("\n<!-- -->")
    if request.config.getoption("--update"):
        PAGE.write_text(f"{before}{start}{table()}{end}{rest}", "utf-8", newline="\n")
        shown = table()

    assert start
    assert end
    assert table() == shown, "run pytest --update tests/test_classics.py, then read the diff"


def test_every_construct_has_a_name() -> None:
    """No kind of statement, phase or section is left out of the table."""
    silent = {
        type(node).__name__ for name in CLASSICS + OTHERS for node in nodes(tree(name)) if not [*constructs(node)]
    }

    assert silent <= UNNAMED, "say in `PLAIN` or `constructs` what it is called, or in UNNAMED that it has no name"


UNNAMED = {
    "After", "Always", "Amount", "AtEnd", "Attribute", "Binary", "Both", "Call", "Case", "Components", "Copies",
    "Destination", "Either", "ExamplePlayers", "ExampleSet", "Face", "Field", "File", "Given", "Header", "Idle",
    "Labelled", "MatchCase", "MemberList", "Name", "Negative", "Not", "Nothing", "Number", "Once", "Order",
    "Parameter", "Part", "Phase", "Play", "PlayPart", "Players", "PolicyIf", "PolicyLine", "RangeType", "Rank",
    "ScriptItem", "ScriptLine", "SetOf", "TableRow", "Text", "Then", "Times", "Truth", "TypeName", "Until",
    "Value", "YesOrNo", "Assign", "Do",
}  # fmt: skip
"""Parts of something that has a name, and what every file is full of."""


@pytest.mark.parametrize("name", GAMES)
def test_games_are_short(name: str) -> None:
    """Without comments and tables the rules of a small game have fewer than sixty lines, of a large one 150."""
    large = name.removeprefix("classics/") in LARGE

    assert lines_of(name, () if large else BESIDE) < (150 if large else 60)


def test_games_are_complete() -> None:
    """Each has examples, invariants, bounds and measures, and strategies where there is something to decide."""
    wanted = {"`example`", "`bounds`", "`measure`"}
    missing = {name: wanted - used(name) for name in GAMES if not wanted <= used(name)}
    unsure = [name for name in GAMES if not any(each.startswith("`invariant") for each in used(name))]
    chosen = [name for name in GAMES if any(each.startswith(("`choose", "`may", "`all …")) for each in used(name))]

    assert {} == missing
    assert [] == unsure
    assert [] == [name for name in chosen if "`strategy`" not in used(name)]


def test_variants_are_short() -> None:
    """At least six classics have a variant of three lines or fewer."""
    short = {base(name) for name in VARIANTS if lines_of(name) <= 3}

    assert len(short) >= 6


def test_commands_of_the_page() -> None:
    """Each figure of the page names a test that is here."""
    named = re.findall(r"-k (\w+)", PAGE.read_text("utf-8"))

    assert named
    assert [] == [name for name in named if name not in globals()]
