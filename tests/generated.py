"""Small random games, right by construction; most can be seen whole.

What they are rich in is what keys of positions could get wrong: values that are read on one way and not on another,
equal dice of which the first is taken, dice that variables and names hold on to, passes that end early.
"""

import random
from collections.abc import Sequence

Lines = list[str]

HEAD = """game "Generated"
players {players}

components dice:
    faces pips: 1..{faces}
    var mark: 0..2 = 0
    {copies} of each

components cards:
    has value: 1..2
    {cards} of each

zone tray: dice
zone off: dice, cards
zone deck: cards{stacked}
var a: -9..9 = 0
var b: 0..3 = 0
var who: player = player(1)
var kept: dice or none = none
var row[1..2]: 0..3 = 0

each player has:
    zone hand: cards, dice
    var points: -9..9 = 0

setup:
    move dice to tray
    move cards to deck
"""

NUMBERS = (
    "a", "b", "sum(tray.pips)", "count(off)", "count(deck)", "row[1]", "max(p.points for p in everyone)",
    "sum(dice.mark)", "count(tray where pips is 1)", "count(distinct(dice.pips))", "sum(first(1, tray).pips)",
)  # fmt: skip
USES = "move {} to off", "turn {} to 2", "{}.mark = 1", "a = {}.pips"
MOST_ASKED = 5
"""Statements of a game that ask."""


def generated(seed: int) -> str:
    """The text of a game; the same for every time a seed is given."""
    return _Game(random.Random(seed)).text()


class _Game:
    def __init__(self, draws: random.Random) -> None:
        self.draws = draws
        self.names = 0
        self.asked = 0
        self.mine = False
        """Whether there is a player on turn."""
        self.passes: list[str] = []
        """The phases around."""
        self.phases: list[str] = []
        self.bound: list[tuple[str, str]] = []
        """Names bound around, each a `number`, a `die` or `several` dice."""

    def one(self, *of: str) -> str:
        return self.draws.choice(of)

    def rarely(self, chance: float = 0.3) -> bool:
        return self.draws.random() < chance

    def name(self, kind: str) -> str:
        self.names += 1
        name = f"{kind}_{self.names}"
        if kind in ("number", "die", "several"):
            self.bound.append((name, kind))
        return name

    # ---- the whole ---------------------------------------------------------------------------------------

    def text(self) -> str:
        stacked = self.rarely()
        faces, players = self.draws.choice((2, 2, 3)), self.draws.choice((1, 1, 2, 2, 3))
        self.faces, self.several = faces, players > 1
        lines = HEAD.format(
            players=players,
            faces=faces,
            copies=self.one("1", "2", "2", "3"),
            cards=self.one("1", "2"),
            stacked=" stacked" * stacked + " hidden" * self.rarely(),
        ).splitlines()
        lines += ["    shuffle deck"] * stacked + ["", "play:"]
        for _ in range(self.draws.choice((1, 1, 2))):
            lines += self.phase(1)
        lines += ["    phase acting each player:", f"        do act({self.one('1', 'min(max(a, 0), 2)')})"]
        self.mine, self.bound, self.asked = True, [("amount", "number")], min(self.asked, MOST_ASKED - 1)
        lines += ["", "action act(amount: 0..2):", *self.block(1, 3), ""]
        self.phases.append("acting")
        if self.rarely(0.7):
            lines.append(f"score: {self.one('points', 'a', 'points + b', 'count(hand)')}")
            lines.append(f"winner: {self.one('highest score', 'highest points, then highest b', 'lowest count(hand)')}")
        for number in range(self.draws.choice((1, 2, 3))):
            lines.append(self.said(f'"property {number}"'))
        return "\n".join(lines) + "\n"

    def said(self, name: str) -> str:
        """Something that must hold."""
        phase, one, other = self.one(*self.phases), self.fact(), self.fact()
        listed = self.one(*NUMBERS, "everyone.points", "dice.pips", "tray.pips")
        within = self.one("", f" within {self.one('0', '1', '2')} {phase}")
        return self.one(
            f"invariant {name} {self.one('always', 'never', 'at end')}: {one}",
            f"invariant {name} after {self.one(phase, 'act')}: {one}",
            f"invariant {name}: {listed} only {self.one('increases', 'decreases')}",
            f"invariant {name}: {one} leads to {other}{within}",
            f"possible {name}{self.one('', ' at end')}: {one}",
            f"possible {name}{self.one('', f' after {phase}')}: {one} then {other}",
        )

    def fact(self) -> str:
        return f"{self.one(*NUMBERS)} {self.one('is', '<', '>', 'is not')} {self.one('0', '1', '2', '3')}"

    # ---- phases and blocks ---------------------------------------------------------------------------------

    def phase(self, depth: int) -> Lines:
        name = "turn" if "turn" not in self.phases and self.rarely(0.5) else self.name("phase")
        self.phases.append(name)
        mine, bound, inside = self.mine, list(self.bound), "    " * (depth + 1)
        start = self.one("", " from who", " from player(1)")
        by, until = self.one("", " by points descending"), self.one("", " until a > 1")
        heads = [
            "",
            f" repeat {self.one('1', '2')} times",
            f" repeat until {self.condition()}",
            " each player",
            f" each player{start}{self.one('', ' where points < 2')}{by}{until}",
            f" each player in turn{start} until {self.condition()}",
        ]
        sort = self.draws.randrange(len(heads))
        self.passes.append(name)
        self.mine = mine or sort > 2
        body = self.block(depth + 1, 4)
        if sort in (2, 5):
            body += [f"{inside}a = min(a + 1, 9)", f"{inside}if a > {self.one('1', '2')}: leave {name}"]
        self.passes.pop()
        self.mine, self.bound = mine, bound
        return [f"{'    ' * depth}phase {name}{heads[sort]}:", *body]

    def block(self, depth: int, most: int) -> Lines:
        bound, lines = list(self.bound), Lines()
        for _ in range(self.draws.randint(1, most)):
            asks = depth < 4 and self.asked < MOST_ASKED and self.rarely(0.45)
            lines += self.asking(depth) if asks else self.doing(depth)
        self.bound = bound
        return lines

    # ---- expressions ---------------------------------------------------------------------------------------

    def number(self) -> str:
        some = ["a", "b", "row[1]", "count(off)", "1", "2", "sum(tray.pips)", "count(players)", "seat(who)"]
        some += ["points", "count(hand)", "seat(me)"] * self.mine
        for name, kind in self.bound:
            some += {
                "number": [name] * 3,
                "die": [f"{name}.pips", f"{name}.mark"],
                "several": [f"sum({name}.pips)", f"count({name})"],
            }[kind]
        return self.one(*some)

    def condition(self) -> str:
        some = ["kept is none", "tray is empty", "any(tray where pips is 1)", "who is player(1)", "sum(dice.mark) > 0"]
        some.append(f"{self.number()} {self.one('is', '<', '>')} {self.one('0', '1', '2')}")
        for name, kind in self.bound:
            if kind == "die":
                some += [f"kept is {name}", f"{name} in tray", f"{name} in first(1, tray)"]
            if kind == "several":
                some += [f"{name} is tray", f"count({name}) is 1"]
        return self.one(*some)

    def dice(self) -> str:
        some = ["tray", "tray", "(tray where pips > 1)", "highest(tray by pips)", "(dice where mark is 0)", "dice"]
        some += [f"first({self.one('1', '2')}, tray)", "first(1, dice where it in off)", "dice - first(1, dice)"]
        some += ["(dice where it in hand)"] * self.mine
        some += [name if kind == "several" else f"tray - {name}" for name, kind in self.bound if kind != "number"] * 2
        return self.one(*some)

    # ---- statements ----------------------------------------------------------------------------------------

    def doing(self, depth: int) -> Lines:
        """A statement that does not ask."""
        into, number, dice, each = self.one("off", "tray"), self.number(), self.dice(), f"each_{self.names}"
        self.names += 1
        first = f"a = {each}.pips", f"b = min(b + {each}.pips, 3)", f"{each}.mark = 1", f"kept = {each}"
        then = "nothing", "break", f"if {each}.mark is 1: break", f"{each}.mark = min(b, 2)", f"move {each} to {into}"
        ways: list[Sequence[str]] = [
            [f"a = min(max({number}, -9), 9)"],
            [f"b = min(max({number}, 0), 3)"],
            [f"row{self.one('', '[1]', '[2]')} = min(max({number}, 0), 3)"],
            [f"turn {dice} to {self.one('1', str(self.faces))}"],
            [f"move {dice} to {self.one(into, *['hand'] * self.mine)}{self.one('', ' showing 1')}"],
            [
                f"for {each} in {dice}{self.one('', ' by pips descending')}:",
                *[f"    {self.one(*t)}" for t in (first, then)],
            ],
            [self.one("kept = none", "if any(tray): kept = the(first(1, tray))")],
            [f"if kept is not none: {self.one(*[use.format('kept') for use in USES])}"],
            [f"if {self.condition()}: {self.way_out()}"],
            [f"if {self.condition()}: {self.way_out()}"],
            [f"who = {self.one('next(who)', 'player(1)', *['me'] * self.mine)}"],
        ]
        if self.mine:
            ways.append([f"points {self.one('=', '+=')} {self.one('0', '1', f'min({number}, 2)')}"])
        if self.several:
            ways.append(
                [f"if count(players) > 1 and {self.condition()}: eliminate {self.one('who', *['me'] * self.mine)}"]
            )
        chosen = self.draws.randrange(len(ways) + 2)
        if chosen >= len(ways):
            kind = self.one("number", "several")
            return [f"{'    ' * depth}let {self.name(kind)} = {number if kind == 'number' else dice}"]
        return ["    " * depth + line for line in ways[chosen]]

    def way_out(self) -> str:
        out = [f"{self.one('end', 'leave')} {self.one(*self.passes)}" for _ in range(3) if self.passes]
        return self.one("a = 0", "b = 1", "row = 1", "end game", *out)

    def asking(self, depth: int) -> Lines:
        """A statement that asks, with what becomes of the answer."""
        self.asked += 1
        start, bound = "    " * depth, list(self.bound)
        by = "" if self.mine and not self.rarely(0.15) else f"by {self.one('who', 'player(1)')} "
        match self.draws.randrange(9):
            case 0:
                return [f"{start}throw {self.one('tray', self.dice())}"]
            case 1:
                said = self.name("number")
                use = f"{self.one('a', 'b')} = {said}", f"if {said} is 1: {self.way_out()}"
                return [f"{start}choose {by}one from {self.one('0..1', '1..2')} as {said}", start + self.one(*use)]
            case 2:
                die = self.name("die")
                return [f"{start}choose {by}one from dice as {die}", *self.used(depth, die)]
            case 3:
                dice, some = self.dice(), self.name("several")
                treat = f"move {some} to off", f"turn {some} to 1", f"a = count({some})"
                return [
                    f"{start}choose {by}{self.one('any', 'up to 1')} from {dice} as {some}",
                    start + self.one(*treat),
                ]
            case 4:
                lines = [f"{start}choose {by}{self.name('label')}:"]
                for label in ("this", f"that when {self.condition()}"):
                    lines += [f"{start}    {label}:", *self.doing(depth + 2)]
                    self.bound = list(bound)
                return lines
            case 5:
                weight = self.one("", "weighted min(max(b, 1), 3) ", "weighted it ")
                said = self.name("number")
                return [f"{start}pick one from 1..3 {weight}as {said}", f"{start}a = {said}"]
            case 6:
                return [f"{start}draw up to {self.one('1', '2')} from deck to {self.one('off', *['hand'] * self.mine)}"]
            case 7 if depth < 3:
                return self.phase(depth)
        dice, die = self.dice(), self.name("die")
        lines = [f"{start}may choose {by}one from {dice} as {die}:", *self.used(depth + 1, die)]
        self.bound = bound
        return lines

    def used(self, depth: int, die: str) -> Lines:
        use = self.one(*USES, "kept = {0}", "if kept is {0}: b = 2").format(die)
        lines = ["    " * depth + use]
        return lines + ["    " * depth + f"if {self.condition()}: {self.way_out()}"] * self.rarely(0.4)
