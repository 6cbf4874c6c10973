"""Random games that together hold all of the language, right by construction.

Expressions and statements are put together by their types, so anything may stand where its type may. Loops are
counted, and most values are kept inside of their ranges, so that most games come to an end; some end in a fault.
"""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs

Lines = list[str]
KINDS = "dice", "cards", "chips", "tiles"
CELLS = "track", "form"

HEAD = """game "Composed"
players {players}
{teams}
option size: 1..3 = 2 if count(players) > 1 else 1
option "in other words" style: plain, fancy = {style}
option twice: yes or no = {yes}

type suits = red, green, blue
type mood = glad, cross

constant limit = 4 + size
constant worth[1..3] = 2, -1, {worth}
constant partner[suits] = green, none, red
constant gap[suits, yes or no]:
    | 3 | 4 |
    | 1 | 0 |
    | 5 | -2 |

components dice:
    faces pips: {low}..{high}
    var mark: 0..3 or none = none
    var done: yes or no = no
    {dice} of each

components cards:
    has suit: suits
    has value: 1..{value}
    has double = value * 2
    has strong = value > 1
    var tag: 0..9 = 0{hidden}
    {cards} of each

components chips:
    has number: 1..2
    faces side: up x2, down
    hide number unless side is up
    var holder: player or none = none
    label number
    {chips} of each

components tiles:
    has sort: wood, stone
    has rank: 1..3 or none
    has level: 0..9
    faces sky by sort:
        wood: sun, rain x2
        stone: sun x3, snow
    table:
        | sort  | rank | level | copies |
        | wood  | 1    | 4     | 1      |
        | wood  | none | 2     | {tiles}      |
        | stone | 2    | 0     | 1      |

sheet track:
    has step: 1..4
    var taken: yes or no = no
    var entry: 0..9 or none = none

zone tray: dice
zone deck: cards stacked hidden
zone pile: cards stacked
zone row[suits]: cards
zone bag: chips{bag}
zone lot: tiles{lot}
zone seats[player]: cards
zone mixed: cards, dice, chips, tiles

var a: -99..99 = 0
var b: 0..9 = size
var big = 1
var flag: yes or no = no
var temper: mood = glad
var shade: suits or none = none
var who: player = player(1)
var whom: player or none = none
var kept: dice or none = none
var held: cards or none = none
var grid[suits, 1..2]: 0..9 = 0
var veiled: 0..9 = 1 hidden
var bank: 0..20 = 20 conserved

each player has:
    zone hand: cards private
    zone purse: chips{purse}
    zone won: cards, dice, chips, tiles
    zone shelf[1..2]: cards stacked
    sheet form:
        has line: 1..2
        has column: left, right
        var entered: 1..6 or none = none private
        label line, column
    var points: -99..99 = 0
    var coins: 0..20 = 0 conserved
    var secret: 1..6 = 1 private
    var noted[suits]: 0..9 = 0
"""

SETUP = """
setup:
    move dice to tray
    move cards to deck
    move chips to bag showing {side}
    move tiles to lot
    shuffle deck
    for p in players:
        draw {dealt} from deck to p.hand
        draw up to {purse} from bag to p.purse
    move first(2, row[red]) to pile
"""

NUMBERS = {"dice": ("pips",), "cards": ("value", "double", "tag"), "chips": ("number",), "tiles": ("level",),
           "track": ("step",), "form": ("line",)}  # fmt: skip
TESTS = {"dice": ("done",), "cards": ("strong",), "track": ("taken",)}
MEMBERS = {"cards": ("suit", "red", "green", "blue"), "chips": ("side", "up", "down"),
           "tiles": ("sort", "wood", "stone"), "form": ("column", "left", "right")}  # fmt: skip
MAYBE = {"dice": ("mark", 0, 3), "tiles": ("rank", 1, 3), "track": ("entry", 0, 9), "form": ("entered", 1, 6)}
SUITS = "red", "green", "blue"
FACTS = "temper is glad", "style is fancy", "kept is none", "whom is none", "shade is red"
FEW = "dice", "tiles", "track", "form", "player", "suit"
"""Types of which there are so few that all sets of them can be looked at."""


def composed(draws: random.Random, size: int = 12) -> str:
    """The text of a game, of about so many statements; the same for the same draws."""
    return _Game(draws, size).text()


@attrs.frozen
class _Bound:
    """A name, and the type of what it holds: `*` after the type of an element for a set."""

    name: str
    type: str


class _Game:
    def __init__(self, draws: random.Random, size: int) -> None:
        self.draws = draws
        self.left = size
        """Statements still to come."""
        self.names = 0
        self.mine = False
        """Whether there is a player `me`."""
        self.bound: list[_Bound] = []
        self.seen: list[_Bound] = []
        """The names that the block that was made last has at its end."""
        self.passes: list[tuple[str, bool]] = []
        """The phases around, each with whether it has passes."""
        self.loops = 0
        """How many `for` and `repeat` are around, inside the innermost phase."""
        self.variables: Lines = []
        self.actions: Lines = []
        self.definitions: Lines = []
        self.tests: list[tuple[str, str]] = []
        """Definitions that give yes or no, and the type of what they are asked of."""
        self.figures: list[str] = []
        """Definitions of players that give a number."""
        self.sampled: Lines = []
        self.decided: list[_Bound] = []
        """Decisions: their names, and the type of an option."""
        self.asks = True
        """Whether something may be asked here."""

    # ---- chance ------------------------------------------------------------------------------------------

    def one(self, *of: str) -> str:
        return self.draws.choice(of)

    def rarely(self, chance: float = 0.3) -> bool:
        return self.draws.random() < chance

    def made(self, *of: Callable[[], str]) -> str:
        return self.draws.choice(of)()

    def name(self, type_: str) -> str:
        self.names += 1
        return f"{type_.rstrip('*')}_{self.names}"

    def bind(self, type_: str) -> str:
        """A new name, seen from here to the end of the block."""
        name = self.name(type_)
        self.bound.append(_Bound(name, type_))
        return name

    def named(self, type_: str) -> list[str]:
        return [each.name for each in self.bound if each.type == type_]

    @contextmanager
    def within(self, *bound: _Bound, mine: bool | None = None) -> Iterator[None]:
        """A stretch with more names; `it` hides another `it`."""
        before = self.bound, self.mine
        kept = [each for each in self.bound if each.name not in [new.name for new in bound]]
        self.bound = [*kept, *bound]
        self.mine = self.mine if mine is None else mine
        yield
        self.bound, self.mine = before

    # ---- the whole ---------------------------------------------------------------------------------------

    def text(self) -> str:
        players = self.one("1", "2", "3", "1..2", "2..3", "2..4")
        self.teamed = teams = self.rarely(0.15)
        wide = self.rarely(0.15)
        low = self.draws.choice((-2, 0, 1, 1, 1))
        self.face = str(low) if low >= 0 else f"({low})"
        head = HEAD.format(
            players=self.one("2", "4") if teams else players,
            teams="teams 2\n" if teams else "",
            style=self.one("plain", "fancy"),
            yes=self.one("yes", "no"),
            worth=self.one("7", "0"),
            low=low,
            high=low + self.draws.choice((1, 2, 5)),
            dice=self.one("1", "2", "4", "size + 1") if not wide else "9",
            value=self.one("2", "3") if not wide else "9",
            cards=self.one("1", "2", "3") if not wide else "4",
            hidden=self.one("", " hidden"),
            chips=self.one("1", "2", "count(players)"),
            tiles=self.one("1", "2"),
            bag=self.one("", " hidden"),
            purse=self.one("", " hidden", " private"),
            lot=self.one("", "", " hidden"),
        )
        setup = SETUP.format(side=self.one("up", "down"), dealt=self.one("1", "2"), purse=self.one("1", "2"))
        self.define()
        play = ["play:", *self.round(), *self.block(1, 3)]
        # Every option is looked at.
        options = ['invariant "options": a < 95 or twice or style is fancy']
        played = "\n".join([*play, *self.actions])
        endings = [*options, *self.ending(), *self.promised(), *self.measured(), *self.strategies(played)]
        parts = [head, *self.variables, "", *self.definitions, setup, *play, "", *self.actions, "", *endings]
        return without_unused("\n".join(parts) + "\n")

    def round(self) -> Lines:
        """Everybody has a few turns."""
        self.passes = [("round", True), ("turn", True)]
        with self.within(mine=True):
            body = self.block(3, self.left)
            self.sampled += self.said("turn", body)
        self.passes = []
        return [f"    phase round repeat {self.one('1', '2', 'size')} times:", "        phase turn each player:", *body]

    def define(self) -> None:
        """Definitions, each of which may use those before."""
        with self.within(mine=True):
            for _ in range(2):
                name = self.name("figure")
                self.definitions.append(f"define {name} = points + {self.number(3)}")
                self.figures.append(name)
        for type_ in ("cards*", "dice", "number"):
            name, said = self.name("fact"), self.name("given")
            with self.within(_Bound(said, type_), mine=False):
                kind = type_.rstrip("*")
                written = f"set of {kind}" if type_.endswith("*") else "0..9" if kind == "number" else kind
                self.definitions.append(f"define {name}({said}: {written}) = {self.test(3)}")
            self.tests.append((name, type_))

    def ending(self) -> Lines:
        with self.within(mine=True):
            score = self.one("points", f"points + {self.figures[0]}", "count(hand) - points", "big")
            winner = self.one(
                "highest score", "highest points, then lowest count(hand), then highest seat(me)",
                "lowest score, then highest score", f"highest {self.figures[1]}",
            )  # fmt: skip
        with self.within(mine=False):
            winners = f"{self.one('players', 'everyone')} where {self.tested('player', 2)}"
            winner = self.one(winner, winner, winners)
        bounds = "\nbounds score: -limit * 40 .. 400" if self.rarely(0.4) and score != "big" else ""
        return [f"score: {score}{bounds}", f"winner: {winner}"] if self.rarely(0.9) else [f"winner: {winners}"]

    def promised(self) -> Lines:
        """Invariants: some of them are broken now and then."""
        with self.within(mine=False):
            lines = [f'invariant "{self.names}": a < 90 or {self.test(3)}']
            lines.append(f'invariant "{self.names} never" never: a > {self.one("20", "90")} and {self.test(2)}')
            lines.append(f'invariant "{self.names} at end" at end: b < 9 or {self.test(2)}')
        return lines + self.sampled

    def measured(self) -> Lines:
        with self.within(mine=False):
            return [
                f'measure "number" at end: {self.number(3)}',
                f'measure "yes" at end: {self.test(2)}',
            ]

    def said(self, phase: str, body: Lines) -> Lines:
        """What is promised and measured after a phase or action: it may read what its block has bound."""
        indent = re.match(" *", body[0]).group()  # type: ignore[union-attr]  # it always matches
        own = "\n".join(line for line in body if re.match(f"{indent}(?!phase|all)\\w", line) and line[-1] != ":")
        known = [each for each in self.seen if re.search(rf"\b(let|as) {each.name}\b", own)]
        mine = self.mine and (not phase.startswith("act") or bool(re.search(r"\bme\b", own)))
        with self.within(mine=mine):
            self.bound = known
            name = self.name("said")
            lines = [f'invariant "{name}" after {phase}: a < {self.one("30", "99")} or {self.test(2)}']
            if not phase.startswith("act"):
                lines.append(
                    f'measure "{name}" after {phase}: {self.made(lambda: self.number(2), lambda: self.test(2))}'
                )
            return lines

    def strategies(self, played: str) -> Lines:
        lines = ["strategy rather:"]
        for decision in self.decided:
            if not re.search(rf"\b{decision.name}\b", played):
                continue
            lines.append(f"    {decision.name}: {self.policy(decision)}")
        otherwise = f"    otherwise: {self.one('random', 'first')}"
        return [*lines, otherwise, "", "strategy first_of_all:", "    otherwise: first"]

    def policy(self, decision: _Bound) -> str:
        with self.within(mine=True):
            self.bound = []
            type_ = decision.type
            atoms = ["random", "first"]
            if type_.startswith("label"):
                atoms += type_.split()[1:] * 2
            elif type_.endswith("?"):
                atoms += ["none"] * 3
            elif type_ == "suit":
                atoms += ["red", "blue", f"best {self.one('grid[it, 1]', 'gap[it, yes]')}"]
            elif type_ == "player":
                atoms += ["next(me)", "best it.points", "best -seat(it)"]
            elif type_ == "number":
                atoms += ["1", "best -it", "best it mod 3"]
            elif type_ == "dice":
                atoms += ["best it.pips", "best -it.pips"]
            elif type_ == "cards":
                atoms += ["best 0 - it.value", "best it.double"]
            elif type_.endswith("*"):
                atoms += [f"best count({decision.name})", f"best -count({decision.name})"]
            condition = self.one("points > 2", "any(tray)", "count(hand) < 3", "flag", "points is 0 and seat(me) is 1")
            atom = self.one(*atoms)
            return self.one(atom, f"{atom} if {condition} else {self.one(*atoms)}")

    # ---- numbers -----------------------------------------------------------------------------------------

    def number(self, fuel: int) -> str:
        if fuel <= 0 or self.rarely(0.25):
            return self.small()
        less = fuel - 1
        number: Callable[[], str] = lambda: self.number(less)  # noqa: E731
        return self.made(
            lambda: f"({number()} + {number()})",
            lambda: f"({number()} - {number()})",
            lambda: f"({number()} * {number()})",
            lambda: f"({number()} / {self.divisor(less)})",
            lambda: f"({number()} / {self.divisor(less)} rounded up)",
            lambda: f"({number()} mod {self.divisor(less)})",
            lambda: f"-{self.small()}",
            lambda: f"abs({number()})",
            lambda: f"{self.one('max', 'min')}({number()}, {number()}{self.one('', ', 3')})",
            lambda: f"({number()} if {self.test(less)} else {number()})",
            lambda: f"{self.one('sum', 'count')}({self.list(less)})",
            lambda: f"count({self.set(self.any_type(), less)})",
            lambda: f"count(distinct({self.list(less)}))",
            lambda: f"{self.one('max', 'min')}({self.list(less)} default {number()})",
            lambda: f"sum({self.ranked(less)})",
            lambda: f"worth[{self.one(*[self.clamped(number(), 1, 3)] * 7, 'a')}]",
            lambda: f"gap[{self.member(less)}, {self.test(less)}]",
            lambda: f"grid[{self.member(less)}, {self.clamped(number(), 1, 2)}]",
            lambda: f"{self.owner(less)}.noted[{self.member(less)}]",
            lambda: f"{self.owner(less)}.{self.one('points', 'coins', 'secret', *self.figures)}",
            lambda: f"seat({self.player(less)})",
            lambda: self.field(),
        )

    def small(self) -> str:
        some = ["a", "b", "big", "limit", "size", "-1", "1", "2", "3", "7", "count(players)", "count(tray)"]
        some += ["points", "count(hand)", "seat(me)"] * self.mine
        some += ["team(who)", *["team(me)"] * self.mine] * self.teamed
        some += [name for name in self.named("number") for _ in range(4)]
        for type_, fields in NUMBERS.items():
            some += [f"{name}.{self.one(*fields)}" for name in self.named(type_) for _ in range(2)]
        return self.one(*some)

    def field(self) -> str:
        """A field of some item: of one that is there, mostly."""
        type_ = self.one(*NUMBERS)
        names = self.named(type_)
        if names:
            return f"{self.one(*names)}.{self.one(*NUMBERS[type_])}"
        fields, filled = self.one(*NUMBERS[type_]), {"form": f"{self.owner(1)}.form"}.get(type_, type_)
        return f"the(first(1, {filled})).{fields}"

    def divisor(self, fuel: int) -> str:
        return self.one("2", "3", "-2", "limit", f"max({self.number(fuel)}, 1)", f"({self.number(fuel)} * 2 - 1)")

    def handed(self, fuel: int) -> str:
        """A number for a parameter; some lie outside of what it takes."""
        return self.clamped(self.number(fuel), 0, 9) if self.rarely(0.7) else self.one("a", "abs(a)")

    def clamped(self, number: str, low: int, high: int) -> str:
        return f"min(max({number}, {low}), {high})"

    # ---- tests -------------------------------------------------------------------------------------------

    def test(self, fuel: int) -> str:
        if fuel <= 0 or self.rarely(0.2):
            return self.fact()
        less = fuel - 1
        test: Callable[[], str] = lambda: self.test(less)  # noqa: E731
        number: Callable[[], str] = lambda: self.number(less)  # noqa: E731
        return self.made(
            lambda: self.compared(number, "is", "is not", "<", "<=", ">", ">="),
            lambda: self.compared(number, "is", "is not", "<", "<=", ">", ">="),
            lambda: f"({test()} and {test()})",
            lambda: f"({test()} or {test()}{self.one('', ' or ' + test())})",
            lambda: f"(not {test()})",
            lambda: self.compared(test, "is", "is not"),
            lambda: f"({test()} if {test()} else {test()})",
            lambda: f"({number()} {self.one('in', 'not in')} {self.one('0', 'a', '-2')}..{self.one('2', 'b', 'big')})",
            lambda: f"({number()} in {self.set('number', less)})",
            lambda: f"({self.one(self.list(less), self.set('number', less))} has {number()})",
            lambda: self.belongs(less),
            lambda: f"({self.set(self.any_type(), less)} is {self.one('', 'not ')}empty)",
            lambda: f"any({self.set(self.any_type(), less)})",
            lambda: f"{self.one('any', 'all')}({self.mapped(less, self.test)})",
            lambda: self.same(less),
            lambda: self.compared(lambda: self.player(less), "is", "is not"),
            lambda: self.compared(lambda: self.member(less), "is", "is not"),
            lambda: self.asked_of(less),
        )  # fmt: skip

    def fact(self) -> str:
        """A test of a word or two."""
        some = ["flag", "twice", *[f"({each})" for each in FACTS]]
        for each in self.bound:
            some += [f"{each.name}.{field}" for field in TESTS.get(each.type, ())]
            if each.type in MEMBERS:
                field, *members = MEMBERS[each.type]
                some.append(f"({each.name}.{field} is {self.one(*members)})")
            if each.type in MAYBE:
                field, low, _ = MAYBE[each.type]
                some.append(f"({each.name}.{field} is {self.one('none', str(low))})")
        return self.one(*some)

    def compared(self, made: Callable[[], str], *relations: str) -> str:
        """Two different values compared."""
        left, right = made(), made()
        one, other = (re.sub(r"\bactive_\d+", "me", side) for side in (left, right))  # a name for the same player
        return f"({left} {self.one(*relations)} {right})" if one != other else self.fact()

    def same(self, fuel: int) -> str:
        type_ = self.any_type()
        return self.compared(lambda: self.set(type_, fuel), "is", "is not")

    def belongs(self, fuel: int) -> str:
        type_ = self.any_type()
        names = self.named(type_)
        if type_ in ("player", "suit"):
            element = self.player(fuel) if type_ == "player" else self.member(fuel)
        elif names:
            element = self.one(*names)
        else:
            return f"any({self.set(type_, fuel)})"
        return f"({element} {self.one('in', 'not in')} {self.set(type_, fuel)})"

    def asked_of(self, fuel: int) -> str:
        """A definition."""
        name, type_ = self.draws.choice(self.tests) if self.tests else ("", "")
        names = self.named(type_)
        match type_:
            case "cards*":
                return f"{name}({self.set('cards', fuel)})"
            case "number":
                return f"{name}({self.handed(fuel)})"
            case "dice" if names:
                return f"{name}({self.one(*names)})"
        return self.test(fuel)

    # ---- sets and lists ----------------------------------------------------------------------------------

    def any_type(self) -> str:
        return self.one(*KINDS, *KINDS, *CELLS, "player", "suit", "number")

    def set(self, type_: str, fuel: int) -> str:
        """A set whose elements have a type."""
        if fuel <= 0 or self.rarely(0.2):
            return self.one(*self.plain(type_), *[name for name in self.named(f"{type_}*") for _ in range(3)])
        less = fuel - 1
        some: Callable[[], str] = lambda: self.set(type_, less)  # noqa: E731
        ways: list[Callable[[], str]] = [
            lambda: f"({some()} where {self.tested(type_, less)})",
            lambda: f"({some()} where {self.tested(type_, less)})",
            lambda: f"({some()} + {some()})",
            lambda: f"({some()} - {some()})",
            lambda: f"first({self.small()}, {some()})",
            lambda: f"{self.one('highest', 'lowest')}({some()} by {self.keyed(type_, less)})",
            lambda: f"({some()} if {self.test(less)} else {some()})",
        ]
        if type_ == "number":
            ways += [
                lambda: f"distinct({self.list(less)})",
                lambda: f"({self.one('a', 'b', '0', '1')}..{self.one('3', '5', 'limit')})",
            ]
        return self.made(*ways)

    def plain(self, type_: str) -> list[str]:
        """Sets that the game has."""
        with self.within(_Bound("it", type_)):
            inside = self.owner(1)
        owner = self.owner(1)
        return {
            "dice": ["dice", "tray", "tray", f"(dice where it in {inside}.won)", "(dice where it in mixed)"],
            "cards": ["cards", "deck", "pile", "row", "row[red]", f"{owner}.hand", f"{owner}.shelf[1]", "seats[who]"],
            "chips": ["chips", "bag", f"{owner}.purse", f"(chips where it in {inside}.won)"],
            "tiles": ["tiles", "lot", "(tiles where it in mixed)"],
            "track": ["track"],
            "form": [f"{owner}.form"],
            "player": ["players", "everyone", *["others"] * self.mine],
            "suit": ["suits"],
            "number": ["(1..3)", "(0..b)", "(-1..2)"],
        }[type_]  # fmt: skip

    def tested(self, type_: str, fuel: int) -> str:
        with self.within(_Bound("it", type_)):
            return self.test(fuel)

    def keyed(self, type_: str, fuel: int) -> str:
        with self.within(_Bound("it", type_)):
            return self.number(fuel)

    def list(self, fuel: int) -> str:
        """A list of numbers, inside the brackets of a function."""
        return self.made(
            lambda: self.fields(fuel),
            lambda: self.fields(fuel),
            lambda: self.set("number", fuel),
            lambda: self.ranked(fuel),
        )

    def fields(self, fuel: int) -> str:
        type_ = self.one(*NUMBERS, "player")
        field = self.one("points", *self.figures) if type_ == "player" else self.one(*NUMBERS[type_])
        return f"{self.set(type_, fuel)}.{field}"

    def mapped(self, fuel: int, value: Callable[[int], str]) -> str:
        type_ = self.any_type()
        name, source = self.name(f"of_{type_}"), self.set(type_, fuel)
        with self.within(_Bound(name, type_)):
            return f"{value(fuel)} for {name} in {source}"

    def ranked(self, fuel: int) -> str:
        mapped = self.rarely(0.5)
        listed = self.mapped(fuel - 1, self.number) if mapped else self.fields(fuel - 1)
        return f"{self.one('largest', 'smallest')}({self.one('1', '2', '3', 'b')}, {listed})"

    # ---- players and members -----------------------------------------------------------------------------

    def player(self, fuel: int) -> str:
        some = ["who", "player(1)", "player(count(everyone))", *["me"] * 2 * self.mine, *self.named("player") * 3]
        if fuel <= 0 or self.rarely(0.4):
            return self.one(*some)
        less = fuel - 1
        return self.made(
            lambda: f"{self.one('next', 'previous')}({self.player(less)}{self.one('', ', 2', f', {self.small()}')})",
            lambda: f"({self.player(less)} if {self.test(less)} else {self.player(less)})",
            lambda: f"the(first(1, {self.one('everyone', 'everyone', 'players', self.set('player', less))}))",
            lambda: f"player({self.one('1', '1', 'count(everyone)', 'min(max(a, 1), count(everyone))')})",
        )

    def owner(self, fuel: int) -> str:
        return self.one("me", self.player(fuel)) if self.mine else self.player(fuel)

    def member(self, fuel: int) -> str:
        some = [*SUITS, *self.named("suit") * 3, *[f"{name}.suit" for name in self.named("cards")] * 2]
        if fuel <= 0 or self.rarely(0.5):
            return self.one(*some)
        return f"({self.member(fuel - 1)} if {self.test(fuel - 1)} else {self.member(fuel - 1)})"

    # ---- statements --------------------------------------------------------------------------------------

    def block(self, depth: int, most: int, *bound: _Bound) -> Lines:
        """Statements, with names of their own."""
        lines = Lines()
        with self.within(*bound):
            for _ in range(self.draws.randint(1, max(1, most))):
                self.left -= 1
                lines += self.statement(depth)
                if self.left <= 0:
                    break
            self.seen = list(self.bound)
        return lines

    def inner(self, depth: int, *bound: _Bound, first: Lines | None = None) -> Lines:
        """A block inside of a statement; it uses what it is about, if there are lines for that."""
        return [*["    " * (depth + 1) + line for line in first or ()], *self.block(depth + 1, 2, *bound)]

    def statement(self, depth: int) -> Lines:
        start = "    " * depth
        deep = depth > 5 or self.left <= 0
        ways = [self.change, self.change, self.shift, self.shift, self.let, self.carried]
        if not deep:
            ways += [self.branch, self.branch, self.loop, self.loop, self.way_out]
        made = self.draws.random()
        if self.asks and made < 0.5:
            if not deep and made < 0.2:
                return [start + line for line in self.made_lines(self.phase, self.label, self.optional, self.do)(depth)]
            return [
                start + line
                for line in self.made_lines(self.happening, self.happening, self.choice, self.choice, self.together)(
                    depth
                )
            ]
        return [start + line for line in self.draws.choice(ways)(depth)]

    def made_lines(self, *of: Callable[[int], Lines]) -> Callable[[int], Lines]:
        return self.draws.choice(of)

    def nested(self, depth: int, lines: Lines) -> Lines:
        """Lines of a block, as seen from the statement they belong to."""
        return [line[4 * depth :] for line in lines]

    def change(self, depth: int) -> Lines:
        """Something gets another value."""
        number = self.number(3)
        stack = self.one("pile", "pile", "pile", "row[red]")
        ways: list[Lines] = [
            [f"a = {self.clamped(number, -99, 99)}"],
            [f"a {self.one('+=', '-=')} {self.one('1', '2', self.clamped(number, -3, 3))}"],
            [f"b = {self.clamped(number, 0, 9)}"],
            [f"b = {number} mod 10"],
            [f"big = {self.clamped(number, -9, 9)} * {self.one('big', 'a')} {self.one('+', '-')} {self.number(2)}"],
            [f"flag = {self.test(3)}"],
            [f"temper = {self.one('glad', 'cross', f'glad if {self.test(2)} else cross', 'mood.cross')}"],
            [f"shade = {self.one('none', self.member(2), 'partner[red]')}"],
            [f"who = {self.player(3)}"],
            [f"whom = {self.one('none', self.player(2))}"],
            [f"grid[{self.member(2)}, {self.one('1', '2', 'b')}] = {self.clamped(number, 0, 9)}", "grid[red, 1] = 1"],
            ["grid = 0"],
            [f"if veiled > {self.one('1', '3')}: a = veiled", f"veiled = {self.clamped(number, 0, 9)}"],
            [f"{self.owner(1)}.points = {self.clamped(number, -99, 99)}"],
            [f"{self.owner(1)}.points {self.one('+=', '-=')} {self.one('1', '2', self.clamped(number, -5, 5))}"],
            [f"{self.owner(1)}.secret = {self.clamped(number, 1, 6)}"],
            [f"{self.owner(1)}.noted[{self.member(2)}] = {self.clamped(number, 0, 9)}"],
            [f"pay {self.one('0', '1')} from bank to {self.owner(1)}.coins"],
            [f"if bank >= 3: pay {self.clamped(number, 0, 3)} from bank to {self.owner(1)}.coins"],
            ["nothing"],
            [f"if whom is not none and shade is not none: whom.noted[shade] = {self.one('1', '2')}"],
            [f"if kept is not none: kept.mark = {self.one('none', '2', 'kept.mark')}"],
            [f"if held is not none: held.tag = {self.clamped(number, 0, 9)}"],
            [f"if any({self.set('dice', 2)}): kept = {self.one('none', 'the(first(1, dice))')}"],
            [f"if any(pile): held = {self.one('top', 'bottom')}(pile)"],
            [f"if count(pile) > 1: a = place(at(pile, {self.one('1', '2', '2')}))"],
            [f"let mine_{self.names} = first(1, {self.owner(1)}.hand)",
             f"if any(mine_{self.names}): who = owner(the(mine_{self.names}))"],
            [f"if any({stack}): a = place(the(first(1, {stack})))"],
            self.written(),
            [f"if count(players) > 1 and {self.test(2)}: eliminate {self.player(1)}"],
            [f"if {self.test(2)}: the(first(1, track where step > 1)).entry = {self.clamped(number, 0, 9)}"],
        ]  # fmt: skip
        if self.mine:
            ways.append([f"points += {self.one('1', '2', '3')}"])
            ways.append([f"if coins > 0: pay 1 from coins to {self.one('bank', 'next(me).coins')}"])
        return self.draws.choice(ways)

    def written(self) -> Lines:
        """A cell of a sheet gets a value."""
        free, place = self.one("", " where not taken"), self.one("1", "2")
        cell = f"{self.owner(1)}.form where line is {place} and column is {self.one('left', 'right')}"
        value = self.one("none", "1", "5", self.clamped(self.number(2), 1, 6))
        return [
            self.one(
                f"the(first(1, track{free})).taken = {self.one('no', 'yes')}",
                f"the(track where step is {place}).taken = {self.test(1)}",
                f"the({cell}).entered = {value}",
                f"the(track where step is {place}).entry = {value}",
            )
        ]

    def where_to(self, kind: str) -> str:
        own, stack = self.owner(1), self.one("deck", "pile", f"{self.owner(1)}.shelf[{self.one('1', '2')}]")
        stacked = f"{self.one('', 'top of ', 'bottom of ', 'place 1 of ')}{stack}"
        if self.rarely(0.25):
            stacked = f"place {self.one('2', self.clamped('b', 1, 3))} of {stack}"
        return {
            "dice": self.one("tray", "tray", "mixed", f"{own}.won"),
            "cards": self.one(
                *[stacked] * 4, f"row[{self.member(1)}]", f"{own}.hand", f"{own}.won", f"seats[{own}]", "box"
            ),
            "chips": self.one("bag", f"{own}.purse", f"{own}.won", "mixed"),
            "tiles": self.one("lot", "mixed", f"{own}.won", "box"),
        }[kind]  # fmt: skip

    def shift(self, depth: int) -> Lines:
        """Items go somewhere, or show something else."""
        kind = self.one(*KINDS, "cards", "cards")
        face = {"dice": self.face, "chips": self.one("up", "down"), "tiles": "sun"}.get(kind)
        some, one = self.set(kind, 3), self.named(kind)
        items = self.one(some, some, *one)
        showing = f" showing {face}" if face and self.rarely() else ""
        ways: list[Lines] = [[f"move {items} to {self.where_to(kind)}{showing}"]] * 2
        if face:
            ways.append([f"turn {items} to {face}"])
        if one and kind == "dice":
            ways.append([f"{self.one(*one)}.mark = {self.one('none', '0', '3', self.clamped(self.number(2), 0, 3))}"])
            ways.append([f"{self.one(*one)}.done = {self.test(2)}", f"kept = {self.one(*one)}"])
        if one and kind == "chips":
            ways.append([f"{self.one(*one)}.holder = {self.one('none', self.player(2))}"])
        if one and kind == "cards":
            ways.append([f"{self.one(*one)}.tag = {self.clamped(self.number(2), 0, 9)}", f"held = {self.one(*one)}"])
        ways.append([f"shuffle {self.one('deck', 'deck', 'pile', f'{self.owner(1)}.shelf[1]')}"])
        return self.draws.choice(ways)

    def let(self, depth: int) -> Lines:
        match self.one("number", "number", "set", "player", "member", "item"):
            case "number":
                value = self.number(3)
                return [f"let {self.bind('number')} = {value}"]
            case "player":
                value = self.player(3)
                return [f"let {self.bind('player')} = {value}"]
            case "member":
                value = self.member(3)
                return [f"let {self.bind('suit')} = {value}"]
            case "item":
                kind = self.one(*KINDS)
                return [f"let {self.bind(kind)} = the(first(1, {kind}{self.one('', f' - first(1, {kind})')}))"]
        type_ = self.any_type()
        value = self.set(type_, 3)
        return [f"let {self.bind(f'{type_}*')} = {value}"]

    def carried(self, depth: int) -> Lines:
        """Something is done with what a name holds."""
        sets = [each for each in self.bound if each.type.rstrip("*") in KINDS and each.type.endswith("*")]
        if not sets:
            return self.shift(depth)
        chosen = self.draws.choice(sets)
        kind = chosen.type.rstrip("*")
        return [f"move {chosen.name} to {self.where_to(kind)}"]

    def branch(self, depth: int) -> Lines:
        inner: Callable[[], Lines] = lambda: self.nested(depth, self.inner(depth))  # noqa: E731
        if self.rarely(0.6):
            lines = [f"if {self.test(3)}:", *inner()]
            for _ in range(self.draws.choice((0, 0, 1, 2))):
                lines += [f"else if {self.test(2)}:", *inner()]
            return lines + (["else:", *inner()] if self.rarely(0.5) else [])
        cases = self.draws.choice([
            ("a", "0, 1", "2", "-3, 7"), ("temper", "glad", "cross", ""), ("shade", "none, red", "blue", ""),
            (self.test(2), "yes", "no", ""), (self.member(2), "red", "green, blue", ""),
        ])  # fmt: skip
        lines = [f"match {cases[0]}:"]
        for case in [each for each in cases[1:] if each][: self.draws.choice((1, 2, 3))]:
            lines += [f"    {case}:", *["    " + line for line in inner()]]
        if cases[0] == "temper" or cases[1] in ("yes", "red") or self.rarely():
            return lines
        return [*lines, "    else:", *["    " + line for line in inner()]]

    def loop(self, depth: int) -> Lines:
        self.loops += 1
        lines = self.made_lines(self.each, self.each, self.repeat)(depth)
        self.loops -= 1
        return lines

    def each(self, depth: int) -> Lines:
        type_ = self.any_type()
        source, name = self.set(type_, 2), self.name(type_)
        # Not too many, where something is asked.
        source = f"first({self.one('2', '3', '5')}, {source})"
        by = f" by {self.keyed(type_, 2)} {self.one('ascending', 'descending')}" if self.rarely() else ""
        first = self.touched(name, type_) + ([f"if {self.test(1)}: break"] if self.rarely(0.2) else [])
        return [
            f"for {name} in {source}{by}:",
            *self.nested(depth, self.inner(depth, _Bound(name, type_), first=first)),
        ]

    def repeat(self, depth: int) -> Lines:
        if self.rarely(0.5):
            return [f"repeat {self.one('2', '3', 'b mod 3', 'size')} times:", *self.nested(depth, self.inner(depth))]
        spin = self.counter()
        lines = [f"repeat until {spin} >= {self.one('2', '3')} or {self.test(2)}:", f"    {spin} += 1"]
        return [f"{spin} = 0", *lines, *self.nested(depth, self.inner(depth))]

    def counter(self) -> str:
        name = self.name("spin")
        self.variables.append(f"var {name}: 0..9 = 0")
        return name

    def touched(self, name: str, type_: str) -> Lines:
        """A line that uses what was bound."""
        kind = type_.rstrip("*")
        if type_.endswith("*"):
            if kind in KINDS:
                return [
                    self.one(f"move {name} to {self.where_to(kind)}", f"a = {self.clamped(f'count({name})', 0, 9)}")
                ]
            return [f"a = {self.clamped(f'count({name})', 0, 9)}"]
        ways = {
            "dice": ("{0}.mark = 1", "move {0} to {1}", "kept = {0}", "{0}.pips = {2}"),
            "cards": ("move {0} to {1}", "held = {0}", "{0}.tag = 2"),
            "chips": ("move {0} to {1}", "{0}.holder = who"),
            "tiles": ("move {0} to {1}", "turn {0} to sun"),
            "track": ("{0}.taken = yes", "{0}.entry = {0}.step"),
            "form": ("{0}.entered = {0}.line", "{0}.entered = none"),
            "player": ("{0}.points += 1", "who = {0}", "whom = {0}"),
            "suit": ("grid[{0}, 1] = 1", "shade = {0}"),
            "number": ("a = min(max({0}, -9), 9)", "b = min(max({0}, 0), 9)"),
        }[kind]
        return [self.one(*ways).format(name, self.where_to(kind) if kind in KINDS else "", self.face)]

    def way_out(self, depth: int) -> Lines:
        ways = ["end game" if self.rarely(0.3) else "nothing"]
        ways += [f"{self.one('end', 'leave')} {name}" for name, _ in self.passes]
        ways += ["break"] * 2 if self.loops else []
        if self.mine:
            ways += [f"eliminate {self.player(1)}"]
        if self.passes and self.rarely():
            spin, (name, passes) = self.counter(), self.draws.choice(self.passes)
            if passes:
                return [
                    f"if {spin} < {self.one('1', '2')} and {self.test(2)}:",
                    f"    {spin} += 1",
                    f"    again {name}",
                ]
        return [f"if {self.test(3)}: {self.one(*ways)}"]

    # ---- what is asked -----------------------------------------------------------------------------------

    def happening(self, depth: int) -> Lines:
        """Chance."""
        kind, thrown = self.one(*KINDS), self.one("dice", "dice", "chips", "tiles")
        number, one = self.one("1", "2", "b mod 3"), self.named(thrown)
        stack = self.one("deck", "deck", "pile", f"{self.owner(1)}.shelf[{self.one('1', '2')}]")
        source = self.one(stack, self.set("cards", 2)) if kind == "cards" else self.set(kind, 2)
        match self.draws.randrange(7):
            case 0:
                return [f"throw {self.one(*one)}" if one else f"throw {self.set(thrown, 2)}"]
            case 1:
                return ["throw tray"]
            case 2:
                amount = self.one(*[f"up to {number}"] * 3, number)
                return [f"draw {amount} from {source} to {self.where_to(kind)}"]
            case 3:
                name, to = self.name(kind), self.one("", f" to {self.where_to(kind)}")
                lines = [f"if any({source}):", f"    draw one from {source}{to} as {name}"]
                return [
                    *lines,
                    *self.nested(depth, self.inner(depth, _Bound(name, kind), first=self.touched(name, kind))),
                ]
            case 4:
                name, to = self.name(kind), self.one("", f" to {self.where_to(kind)}")
                self.bound.append(_Bound(name, f"{kind}*"))
                return [f"draw up to {number} from {source}{to} as {name}", *self.touched(name, f"{kind}*")]
        type_ = self.one("suit", "number", "number", "player", kind)
        values, name = self.set(type_, 2), self.name(type_)
        with self.within(_Bound("it", type_)):
            weight = self.one(
                "", f" weighted {self.clamped(self.number(2), 1, 3)}", f" weighted max({self.number(1)}, 0) + 1"
            )
            weight = (
                weight
                if not weight.startswith(" weighted max") or self.rarely(0.5)
                else f" weighted {self.clamped(self.number(1), 0, 2)} + 1"
            )
        lines = [f"if any({values}):", f"    pick one from {values}{weight} as {name}"]
        return [*lines, *self.nested(depth, self.inner(depth, _Bound(name, type_), first=self.touched(name, type_)))]

    def chooser(self) -> str:
        if self.mine and not self.rarely(0.15):
            return ""
        return f"by {self.player(1)} "

    def amount(self) -> str:
        return self.one("any", "up to 2", "up to b mod 3", "0..1", "0..", "1..2", "1", "2", "1..")

    def choice(self, depth: int) -> Lines:
        """A decision of one part or several, with what becomes of it."""
        by = self.chooser()
        if self.rarely(0.4):
            return self.several(depth, by)
        type_ = self.any_type()
        source = self.set(type_, 2)
        if self.rarely(0.4):
            name = self.name(type_)
            self.decided.append(_Bound(name, type_))
            lines = [f"if any({source}):", f"    choose {by}one from {source} as {name}"]
            return [
                *lines,
                *self.nested(depth, self.inner(depth, _Bound(name, type_), first=self.touched(name, type_))),
            ]
        name, such = self.name(type_), ""
        source = f"first({self.one('2', '3', '4')}, {source})"
        if type_ in FEW and self.rarely(0.4):
            with self.within(_Bound(name, f"{type_}*")):
                such = f" such that count({name}) mod 2 is {self.one('0', '1')} or {self.test(2)}"
        self.decided.append(_Bound(name, f"{type_}*"))
        touched = self.touched(name, f"{type_}*")
        if self.rarely(0.5):
            lines = [f"choose {by}{self.amount()} from {source} as {name}{such}:", *[f"    {line}" for line in touched]]
            return [*lines, "else:", *self.nested(depth, self.inner(depth))]
        self.bound.append(_Bound(name, f"{type_}*"))
        amount = self.amount() if self.rarely(0.15) else self.one("any", "up to 2", "0..1", "0..")
        return [f"choose {by}{amount} from {source} as {name}{such}", *touched]

    def several(self, depth: int, by: str) -> Lines:
        one, other = self.any_type(), self.any_type()
        source, name = self.set(one, 2), self.name(one)
        second = self.name(other)
        with self.within(_Bound(name, one)):
            rest = self.set(other, 2)
            with self.within(_Bound(name, one), _Bound(second, other)):
                such = f" such that {self.test(2)}" if self.rarely(0.6) else ""
        source, rest = f"first(3, {source})", f"first({self.one('2', '3')}, {rest})"
        self.decided.append(_Bound(name, "parts"))
        touched = [*self.touched(name, one), *self.touched(second, other)]
        head = f"choose {by}one from {source} as {name} and one from {rest} as {second}{such}:"
        return [head, *[f"    {line}" for line in touched], "else:", *self.nested(depth, self.inner(depth))]

    def optional(self, depth: int) -> Lines:
        type_, many = self.any_type(), self.rarely(0.4)
        source, name = self.set(type_, 2), self.name(type_)
        amount = self.one("any", "1..2", "up to 2", "2") if many else "one"
        bound = f"{type_}*" if many else type_
        source = f"first(4, {source})" if many else source
        self.decided.append(_Bound(name, "?"))
        inner = self.inner(depth, _Bound(name, bound), first=self.touched(name, bound))
        lines = [f"may choose {self.chooser()}{amount} from {source} as {name}:", *self.nested(depth, inner)]
        return lines + (["else:", *self.nested(depth, self.inner(depth))] if self.rarely(0.5) else [])

    def label(self, depth: int) -> Lines:
        name = self.name("label")
        labels = self.draws.choice((("go", "stay"), ("left", "right", "rest"), ("only",)))
        self.decided.append(_Bound(name, f"label {' '.join(labels)}"))
        lines = [f"choose {self.chooser()}{name}:"]
        for place, label in enumerate(labels):
            text = self.one("", f' "say {label}"')
            when = f" when {self.test(2)}" if place else ""
            lines += [f"    {label}{text}{when}:", *["    " + line for line in self.nested(depth, self.inner(depth))]]
        return lines

    def together(self, depth: int) -> Lines:
        """All choose at once, and something is done with each of their choices."""
        if any(each.name == "it" for each in self.bound):
            return self.happening(depth)
        many = self.rarely(0.4)
        type_ = self.one("number", "suit", "dice", "tiles", "track", "player", "cards")
        with self.within(mine=True):
            source = self.one(
                *[each for each in self.plain(type_) if "(" not in each or type_ == "number"] or ["track"]
            )
            if type_ == "cards":
                source = "cards"
        who = self.one("players", *["others"] * self.mine, f"({self.set('player', 1)})")
        name = self.name("bid")
        amount = self.one("up to 2", "0..1", "any", "1") if many else "one"
        source = f"first({self.one('2', '3', '4')}, {source})"
        such = ""
        if type_ in FEW and self.rarely():
            with self.within(_Bound(name, f"{type_}*" if many else type_), mine=True):
                such = (
                    f" such that {self.test(1)} or {self.test(1)}"
                    if self.rarely(0.2)
                    else f" such that b < 9 or {self.test(1)}"
                )
        self.decided.append(_Bound(name, f"{type_}*" if many else type_))
        value = f"count(p_{name}.{name})" if many else {
            "number": f"p_{name}.{name}", "suit": f"gap[p_{name}.{name}, yes]", "dice": f"p_{name}.{name}.pips",
            "tiles": f"p_{name}.{name}.level", "track": f"p_{name}.{name}.step", "player": f"seat(p_{name}.{name})",
            "cards": f"p_{name}.{name}.value",
        }[type_]  # fmt: skip
        lines = [f"let chosen_{name} = {who}", f"all (chosen_{name}) choose {amount} from {source} as {name}{such}"]
        lines.append(f"for p_{name} in chosen_{name}: p_{name}.points += {self.clamped(value, -9, 9)}")
        if not many and type_ in KINDS:
            lines.append(f"for p_{name} in chosen_{name}: move p_{name}.{name} to {self.where_to(type_)}")
        return lines

    def do(self, depth: int) -> Lines:
        """An action, made for this place."""
        name = self.name("act")
        parameters = [_Bound(self.name("given"), type_) for type_ in self.draws.sample(
            ["number", "cards*", "dice*", "player", "suit", "test"], self.draws.choice((0, 1, 2)))]  # fmt: skip
        written, given = [], []
        for each in parameters:
            kind = each.type.rstrip("*")
            type_ = (
                f"set of {kind}"
                if each.type.endswith("*")
                else {"number": "0..9", "test": "yes or no", "suit": "suits"}.get(kind, kind)
            )
            written.append(f"{each.name}: {type_}")
            number = self.handed(2)
            given.append(
                self.set(kind, 2) if each.type.endswith("*") else
                {"number": number, "player": self.player(2), "suit": self.member(2), "test": self.test(2)}[kind]
            )  # fmt: skip
        before, self.bound, loops, self.loops = self.bound, list(parameters), self.loops, 0
        asks, self.asks = self.asks, self.asks and self.rarely(0.6)
        body = self.block(1, 3, *parameters)
        self.asks = asks
        self.sampled += self.said(name, body)
        self.bound, self.loops = before, loops
        self.actions += ["", f"action {name}{in_brackets(written)}:", *body]
        call = f"do {name}{in_brackets(given)}"
        return [call, *[call] * self.rarely(0.2)]

    def phase(self, depth: int) -> Lines:
        name, me = self.name("phase"), self.one("", "", f" as {self.name('active')}")
        start = self.one("", f" from {self.player(1)}")
        with self.within(_Bound("me", "player"), mine=True):
            where = self.one("", f" where points < {self.one('3', '9')}", f" where {self.test(1)}")
        by = f" by {self.one('points', self.keyed('player', 2))} {self.one('ascending', 'descending')}"
        by = by if self.rarely(0.6) else ""
        until = (
            self.one("", f" until {self.test(2)}")
            if not self.mine
            else self.one("", f" until a > {self.one('3', '9')}")
        )
        spin, sort = self.counter(), self.draws.choice((0, 0, 1, 2, 3, 4, 4, 5, 5))
        heads = [
            "",
            f" repeat {self.one('1', '2', 'b mod 3')} times",
            f" repeat until {spin} > {self.one('0', '1', '2')} or {self.test(2)}",
            f" each player{me}",
            f" each player{me}{start}{where}{by}{until}",
            f" each player in turn{start} until {spin} > {self.one('1', '2', '3')}",
        ]
        mine, passes, loops, self.loops = self.mine, self.passes, self.loops, 0
        self.passes = [*passes, (name, sort > 0)]
        bound = [_Bound(me.split()[1], "player")] if me and sort in (3, 4) else []
        with self.within(mine=mine or sort > 2):
            body = self.inner(depth, *bound, first=[f"{spin} += 1"] if sort in (2, 5) else None)
            if self.rarely():
                self.sampled += self.said(name, body)
        self.passes, self.loops = passes, loops
        return [f"{spin} = 0", f"phase {name}{heads[sort]}:", *self.nested(depth, body)]


def in_brackets(texts: list[str]) -> str:
    return f"({', '.join(texts)})" if texts else ""


def without_unused(text: str) -> str:
    """A text without the definitions that nothing uses."""
    lines = text.splitlines()
    for line in reversed([line for line in lines if line.startswith("define ")]):
        name = re.split(r"\W", line)[1]
        if len(re.findall(rf"\b{name}\b", "\n".join(lines))) == 1:
            lines.remove(line)
    return "\n".join(lines) + "\n"
