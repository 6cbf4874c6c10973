"""The syntax tree: what the author of a rules file wrote.

Names are still text and nothing has been checked. Two trees are equal when they say the same thing,
wherever in a file they say it. The docstring of a node is the notation it stands for.
"""

from typing import Literal as OneOf

import attrs

from .source import NOWHERE, Span
from .tree import Said


@attrs.frozen(eq=False, repr=False)
class Node(Said):
    """Anything that was written down."""

    span: Span = attrs.field(default=NOWHERE, kw_only=True, eq=False, repr=False)


@attrs.frozen(eq=False, repr=False)
class Name(Node):
    """`chips`"""

    text: str


@attrs.frozen(eq=False, repr=False)
class Text(Node):
    """`"a text"`, without its quotes"""

    text: str


@attrs.frozen(eq=False, repr=False)
class Hole(Node):
    """A line that could not be read and was reported."""


# ---- expressions ---------------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class Number(Node):
    """`12`, `-3`"""

    value: int


@attrs.frozen(eq=False, repr=False)
class Truth(Node):
    """`yes`, `no`"""

    value: bool


@attrs.frozen(eq=False, repr=False)
class Nothing(Node):
    """`none`"""


@attrs.frozen(eq=False, repr=False)
class Attribute(Node):
    """`chip.number`, `p.hand`"""

    of: "Expr"
    name: Name


@attrs.frozen(eq=False, repr=False)
class Element(Node):
    """`noted[left, 3]`"""

    of: "Expr"
    indexes: tuple["Expr", ...]


@attrs.frozen(eq=False, repr=False)
class Call(Node):
    """`sum(won.number)`"""

    name: Name
    arguments: tuple["Argument", ...]


@attrs.frozen(eq=False, repr=False)
class Mapped(Node):
    """`count(p.won) for p in players`, in brackets of a call"""

    value: "Expr"
    bind: Name
    source: "Expr"


@attrs.frozen(eq=False, repr=False)
class Keyed(Node):
    """`players by points`, in brackets of a call"""

    source: "Expr"
    key: "Expr"


@attrs.frozen(eq=False, repr=False)
class Defaulted(Node):
    """`row.value default 0`, in brackets of a call"""

    value: "Argument"
    default: "Expr"


@attrs.frozen(eq=False, repr=False)
class Filtered(Node):
    """`chips where side is up`"""

    source: "Expr"
    condition: "Expr"


@attrs.frozen(eq=False, repr=False)
class Binary(Node):
    """`a + b`, `a is not b`, `x in s`, `1..6` and their kin; `/up` is `/ … rounded up`"""

    operator: str
    left: "Expr"
    right: "Expr"


@attrs.frozen(eq=False, repr=False)
class Negative(Node):
    """`-a`"""

    value: "Expr"


@attrs.frozen(eq=False, repr=False)
class Not(Node):
    """`not a`"""

    value: "Expr"


@attrs.frozen(eq=False, repr=False)
class Both(Node):
    """`a and b and c`"""

    terms: tuple["Expr", ...]


@attrs.frozen(eq=False, repr=False)
class Either(Node):
    """`a or b or c`"""

    terms: tuple["Expr", ...]


@attrs.frozen(eq=False, repr=False)
class IsEmpty(Node):
    """`bag is empty`, `bag is not empty`"""

    value: "Expr"
    empty: bool


@attrs.frozen(eq=False, repr=False)
class Conditional(Node):
    """`a if c else b`"""

    then: "Expr"
    condition: "Expr"
    otherwise: "Expr"


Expr = (
    Name | Number | Truth | Nothing | Attribute | Element | Call | Filtered | Binary | Negative | Not | Both
    | Either | IsEmpty | Conditional
)  # fmt: skip
Argument = Expr | Mapped | Keyed | Defaulted
Literal = Name | Number | Truth | Nothing


# ---- types ---------------------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class RangeType(Node):
    """`1..6`"""

    low: Expr
    high: Expr


@attrs.frozen(eq=False, repr=False)
class YesOrNo(Node):
    """`yes or no`"""


@attrs.frozen(eq=False, repr=False)
class TypeName(Node):
    """`half`, `player`, `chips`"""

    name: Name


@attrs.frozen(eq=False, repr=False)
class MemberList(Node):
    """`up, down`"""

    names: tuple[Name, ...]


@attrs.frozen(eq=False, repr=False)
class OrNone(Node):
    """`1..6 or none`"""

    of: RangeType | TypeName


@attrs.frozen(eq=False, repr=False)
class SetOf(Node):
    """`set of chips`"""

    name: Name


Type = RangeType | YesOrNo | TypeName | MemberList | OrNone | SetOf


# ---- statements ----------------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class Destination(Node):
    """`bag`, `top of deck`, `bottom of deck`, `place 3 of deck`"""

    zone: Expr
    at: OneOf["", "top", "bottom", "place"] = ""
    place: Expr | None = None


@attrs.frozen(eq=False, repr=False)
class Move(Node):
    """`move chips to middle showing down`"""

    items: Expr
    to: Destination
    showing: Expr | None


@attrs.frozen(eq=False, repr=False)
class Throw(Node):
    """`throw laid`"""

    items: Expr


@attrs.frozen(eq=False, repr=False)
class Amount(Node):
    """`one`, `any`, `up to 3`, `2`, `1..`, `1..3`"""

    kind: OneOf["one", "any", "up to", "exactly", "at least", "between"]
    low: Expr | None = None
    high: Expr | None = None


@attrs.frozen(eq=False, repr=False)
class Draw(Node):
    """`draw 6 from middle to layout[left] as drawn`"""

    amount: Amount
    source: Expr
    to: Destination | None
    bind: Name | None


@attrs.frozen(eq=False, repr=False)
class Shuffle(Node):
    """`shuffle deck`"""

    zone: Expr


@attrs.frozen(eq=False, repr=False)
class Pick(Node):
    """`pick one from colours weighted n[it] as c`"""

    source: Expr
    weight: Expr | None
    bind: Name


@attrs.frozen(eq=False, repr=False)
class Turn(Node):
    """`turn lifted to up`"""

    items: Expr
    face: Expr


@attrs.frozen(eq=False, repr=False)
class Assign(Node):
    """`points += 5`"""

    place: Expr
    operator: OneOf["=", "+=", "-="]
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Let(Node):
    """`let total = sum(kept.pips)`"""

    bind: Name
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Do(Node):
    """`do power(chip)`"""

    action: Name
    arguments: tuple[Expr, ...]


@attrs.frozen(eq=False, repr=False)
class Eliminate(Node):
    """`eliminate me`"""

    player: Expr


@attrs.frozen(eq=False, repr=False)
class EndGame(Node):
    """`end game`"""


@attrs.frozen(eq=False, repr=False)
class EndPass(Node):
    """`end turn`"""

    phase: Name


@attrs.frozen(eq=False, repr=False)
class Leave(Node):
    """`leave round`"""

    phase: Name


@attrs.frozen(eq=False, repr=False)
class Again(Node):
    """`again turn`"""

    phase: Name


@attrs.frozen(eq=False, repr=False)
class Break(Node):
    """`break`"""


@attrs.frozen(eq=False, repr=False)
class Pay(Node):
    """`pay 3 from coins to pot`"""

    amount: Expr
    source: Expr
    target: Expr


@attrs.frozen(eq=False, repr=False)
class Idle(Node):
    """`nothing`"""


@attrs.frozen(eq=False, repr=False)
class Part(Node):
    """`one from tray as die`"""

    amount: Amount
    source: Expr
    bind: Name


@attrs.frozen(eq=False, repr=False)
class Choose(Node):
    """`choose by p one from hand as card such that …`"""

    owner: Expr | None
    parts: tuple[Part, ...]
    such_that: Expr | None


@attrs.frozen(eq=False, repr=False)
class MayChoose(Node):
    """`may choose one from others as victim: …` and its `else: …`"""

    owner: Expr | None
    parts: tuple[Part, ...]
    such_that: Expr | None
    body: "Body"
    otherwise: "Body"


@attrs.frozen(eq=False, repr=False)
class MustChoose(Node):
    """`choose one from tray as die: …` and its `else: …`, for when there is nothing to choose"""

    owner: Expr | None
    parts: tuple[Part, ...]
    such_that: Expr | None
    body: "Body"
    otherwise: "Body"


@attrs.frozen(eq=False, repr=False)
class ChooseTogether(Node):
    """`all players choose one from hand as pick`"""

    players: Expr
    parts: tuple[Part, ...]
    such_that: Expr | None


@attrs.frozen(eq=False, repr=False)
class Labelled(Node):
    """`stop "leave them there" when count(drawn) > 0: …`"""

    name: Name
    text: Text | None
    when: Expr | None
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class ChooseLabel(Node):
    """`choose draw_or_stop:` and its labels"""

    owner: Expr | None
    name: Name
    labels: tuple[Labelled, ...]


@attrs.frozen(eq=False, repr=False)
class Case(Node):
    """`if c: …`, `else if c: …`"""

    condition: Expr
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class If(Node):
    """`if c: …`, `else if d: …`, `else: …`"""

    cases: tuple[Case, ...]
    otherwise: "Body"


@attrs.frozen(eq=False, repr=False)
class MatchCase(Node):
    """`1, 2: …`"""

    values: tuple[Literal, ...]
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class Match(Node):
    """`match c.number:` and its cases"""

    value: Expr
    cases: tuple[MatchCase, ...]
    otherwise: "Body"


@attrs.frozen(eq=False, repr=False)
class Order(Node):
    """`by number descending`"""

    key: Expr
    descending: bool


@attrs.frozen(eq=False, repr=False)
class For(Node):
    """`for c in picked by number descending: …`"""

    bind: Name
    source: Expr
    order: Order | None
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class RepeatTimes(Node):
    """`repeat 3 times: …`"""

    count: Expr
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class RepeatUntil(Node):
    """`repeat until bust: …`"""

    condition: Expr
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class Once(Node):
    """nothing after the phase's name"""


@attrs.frozen(eq=False, repr=False)
class Times(Node):
    """`repeat rounds times`"""

    count: Expr


@attrs.frozen(eq=False, repr=False)
class Until(Node):
    """`repeat until c`"""

    condition: Expr


@attrs.frozen(eq=False, repr=False)
class EachPlayer(Node):
    """`each player in turn as active from starter where c by key descending until d`"""

    in_turn: bool
    alias: Name | None
    start: Expr | None
    where: Expr | None
    order: Order | None
    until: Expr | None


@attrs.frozen(eq=False, repr=False)
class Phase(Node):
    """`phase turn each player: …`"""

    name: Name
    kind: Once | Times | Until | EachPlayer
    body: "Body"


Statement = (
    Move | Throw | Draw | Shuffle | Pick | Turn | Assign | Let | Do | Eliminate | EndGame | EndPass | Leave
    | Again | Break | Pay | Idle | Choose | MayChoose | MustChoose | ChooseTogether | ChooseLabel | If | Match
    | For | RepeatTimes | RepeatUntil | Phase | Hole
)  # fmt: skip
Body = tuple[Statement, ...]


# ---- declarations --------------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class Use(Node):
    """`use dice`"""

    path: Text


@attrs.frozen(eq=False, repr=False)
class Players(Node):
    """`players 2..4`"""

    low: int
    high: int


@attrs.frozen(eq=False, repr=False)
class Teams(Node):
    """`teams 2`"""

    count: int


@attrs.frozen(eq=False, repr=False)
class Option(Node):
    """`option "description" rounds: 1..20 = 4`"""

    text: Text | None
    name: Name
    type: Type
    default: Expr


@attrs.frozen(eq=False, repr=False)
class OptionDefault(Node):
    """`option rounds = 3`, in a variant"""

    name: Name
    default: Expr


@attrs.frozen(eq=False, repr=False)
class MemberType(Node):
    """`type half = left, right`"""

    name: Name
    members: tuple[Name, ...]


@attrs.frozen(eq=False, repr=False)
class Constant(Node):
    """`constant row_points[0..6] = 0, 2, 6, 12, 20, 30, 42`"""

    name: Name
    shape: tuple[Type, ...]
    values: tuple[Expr, ...]


@attrs.frozen(eq=False, repr=False)
class TableRow(Node):
    """`| number | 1 | 6 |`"""

    cells: tuple[Literal, ...]


@attrs.frozen(eq=False, repr=False)
class ConstantTable(Node):
    """`constant gap[1..2, 1..6]:` and its rows"""

    name: Name
    shape: tuple[Type, ...]
    rows: tuple[TableRow, ...]


@attrs.frozen(eq=False, repr=False)
class Field(Node):
    """`has number: 1..6`"""

    name: Name
    type: Type


@attrs.frozen(eq=False, repr=False)
class DerivedField(Node):
    """`has high = number >= 4`"""

    name: Name
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Face(Node):
    """`brain x3`"""

    value: Literal
    weight: int


FaceList = RangeType | tuple[Face, ...]


@attrs.frozen(eq=False, repr=False)
class Faces(Node):
    """`faces side: up, down`"""

    name: Name
    faces: FaceList


@attrs.frozen(eq=False, repr=False)
class FaceCase(Node):
    """`green: brain x3, foot x2, shot`"""

    value: Literal
    faces: FaceList


@attrs.frozen(eq=False, repr=False)
class FacesBy(Node):
    """`faces shows by colour:` and its cases"""

    name: Name
    field: Name
    cases: tuple[FaceCase, ...]


@attrs.frozen(eq=False, repr=False)
class Hide(Node):
    """`hide number unless side is up`"""

    fields: tuple[Name, ...]
    unless: Expr


@attrs.frozen(eq=False, repr=False)
class Copies(Node):
    """`2 of each`"""

    count: Expr


@attrs.frozen(eq=False, repr=False)
class LabelFields(Node):
    """`label row, column`"""

    names: tuple[Name, ...]


@attrs.frozen(eq=False, repr=False)
class Table(Node):
    """`table:` and its rows, the first of them names fields"""

    rows: tuple[TableRow, ...]


@attrs.frozen(eq=False, repr=False)
class Variable(Node):
    """`var noted[half, 1..6]: 0..2 = 0 private`"""

    name: Name
    shape: tuple[Type, ...]
    type: Type | None
    initial: Expr
    traits: tuple[Name, ...]


ComponentLine = Field | DerivedField | Faces | FacesBy | Hide | Variable | Copies | LabelFields | Table | Hole


@attrs.frozen(eq=False, repr=False)
class Components(Node):
    """`components chips: …`"""

    name: Name
    lines: tuple[ComponentLine, ...]


@attrs.frozen(eq=False, repr=False)
class Sheet(Node):
    """`sheet brown: …`"""

    name: Name
    lines: tuple[ComponentLine, ...]


@attrs.frozen(eq=False, repr=False)
class Zone(Node):
    """`zone layout[half]: chips hidden`"""

    name: Name
    shape: tuple[Type, ...]
    kinds: tuple[Name, ...]
    traits: tuple[Name, ...]


@attrs.frozen(eq=False, repr=False)
class EachPlayerHas(Node):
    """`each player has:` and the zones, variables and sheets"""

    things: tuple[Zone | Variable | Sheet | Hole, ...]


@attrs.frozen(eq=False, repr=False)
class Parameter(Node):
    """`d: dice`"""

    name: Name
    type: Type


@attrs.frozen(eq=False, repr=False)
class Definition(Node):
    """`define fits(d: dice) = …`"""

    name: Name
    parameters: tuple[Parameter, ...]
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Action(Node):
    """`action power(d: dice): …`"""

    name: Name
    parameters: tuple[Parameter, ...]
    body: Body


@attrs.frozen(eq=False, repr=False)
class Setup(Node):
    """`setup: …`"""

    body: Body


@attrs.frozen(eq=False, repr=False)
class Play(Node):
    """`play: …`"""

    body: Body


@attrs.frozen(eq=False, repr=False)
class Score(Node):
    """`score: sum(won.number)`"""

    value: Expr


@attrs.frozen(eq=False, repr=False)
class Rank(Node):
    """`highest score`"""

    highest: bool
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Winner(Node):
    """`winner: highest score, then lowest minus`, `winner: players where won`"""

    ranks: tuple[Rank, ...] | Expr


@attrs.frozen(eq=False, repr=False)
class Always(Node):
    """`always`"""


@attrs.frozen(eq=False, repr=False)
class Never(Node):
    """`never`"""


@attrs.frozen(eq=False, repr=False)
class After(Node):
    """`after turn`, of a phase or an action"""

    name: Name


@attrs.frozen(eq=False, repr=False)
class AtEnd(Node):
    """`at end`"""


Moment = Always | Never | After | AtEnd


@attrs.frozen(eq=False, repr=False)
class Only(Node):
    """`round only increases`"""

    value: Expr
    rising: bool


@attrs.frozen(eq=False, repr=False)
class Within(Node):
    """`within 40 turns`"""

    count: Expr
    of: Name


@attrs.frozen(eq=False, repr=False)
class LeadsTo(Node):
    """`open leads to closed within 3 turns`"""

    first: Expr
    second: Expr
    within: Within | None


@attrs.frozen(eq=False, repr=False)
class Invariant(Node):
    """`invariant "no chip is lost" always: …`"""

    name: Text
    moment: Moment
    promise: Expr | Only | LeadsTo


@attrs.frozen(eq=False, repr=False)
class Possible(Node):
    """`possible "a comeback": … then …`"""

    name: Text
    moment: Moment
    condition: Expr
    then: Expr | None


@attrs.frozen(eq=False, repr=False)
class Ends(Node):
    """`ends surely`, `ends almost surely`, `ends within 40 turns`"""

    how: OneOf["surely", "almost surely"] | Within


@attrs.frozen(eq=False, repr=False)
class Secret(Node):
    """`secret "a hand" until showdown: me.hand`"""

    name: Text
    until: Name | None
    items: Expr


@attrs.frozen(eq=False, repr=False)
class Unchecked(Node):
    """`unchecked "seats are alike" because "the first player has an advantage"`"""

    name: Text
    reason: Text


@attrs.frozen(eq=False, repr=False)
class Bounds(Node):
    """`bounds score: 0..42`"""

    range: RangeType


@attrs.frozen(eq=False, repr=False)
class Measure(Node):
    """`measure "dice kept" after turn: …`"""

    name: Text
    moment: Moment
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Best(Node):
    """`best sum(it.pips)`"""

    value: Expr


@attrs.frozen(eq=False, repr=False)
class AtRandom(Node):
    """`random`"""


@attrs.frozen(eq=False, repr=False)
class FirstOption(Node):
    """`first`"""


@attrs.frozen(eq=False, repr=False)
class PolicyValue(Node):
    """`stop`"""

    value: Expr


@attrs.frozen(eq=False, repr=False)
class PolicyIf(Node):
    """`stop if count(drawn) >= 3 else draw`"""

    then: "Policy"
    condition: Expr
    otherwise: "Policy"


Policy = Best | AtRandom | FirstOption | PolicyValue | PolicyIf


@attrs.frozen(eq=False, repr=False)
class PolicyLine(Node):
    """`kept: best sum(it.pips)`"""

    name: Name
    policy: Policy


@attrs.frozen(eq=False, repr=False)
class Strategy(Node):
    """`strategy cautious:` and its lines"""

    name: Name
    lines: tuple[PolicyLine | Hole, ...]


@attrs.frozen(eq=False, repr=False)
class ExamplePlayers(Node):
    """`players 2`"""

    count: int


@attrs.frozen(eq=False, repr=False)
class ExampleSet(Node):
    """`set rounds = 3`"""

    option: Name
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Given(Node):
    """`given: …`"""

    body: Body


@attrs.frozen(eq=False, repr=False)
class ScriptLine(Node):
    """`kept: 6, 6, 5`"""

    name: Name
    items: tuple[str, ...]


@attrs.frozen(eq=False, repr=False)
class PlayPart(Node):
    """`do turn for player(2):` and its script"""

    name: Name
    arguments: tuple[Expr, ...]
    player: Expr | None
    script: tuple[ScriptLine | Hole, ...]


@attrs.frozen(eq=False, repr=False)
class Then(Node):
    """`then points is 13`"""

    condition: Expr


ExampleLine = ExamplePlayers | ExampleSet | Given | PlayPart | Then | Hole


@attrs.frozen(eq=False, repr=False)
class Example(Node):
    """`example "a worked turn":` and its lines"""

    name: Text
    lines: tuple[ExampleLine, ...]


@attrs.frozen(eq=False, repr=False)
class Value(Node):
    """`value: player(1).points`"""

    value: Expr


FocusLine = ExamplePlayers | ExampleSet | Given | PlayPart | Then | Value | Hole


@attrs.frozen(eq=False, repr=False)
class Focus(Node):
    """`focus "the last turn":` and its lines"""

    name: Text
    lines: tuple[FocusLine, ...]


@attrs.frozen(eq=False, repr=False)
class Claim(Node):
    """`claim "fair" with cautious: win_rate(1) in 0.48..0.52`"""

    name: Text
    strategy: Name | None
    figure: Name
    of: int | str | None
    low: str
    high: str


Declaration = (
    Use | Players | Teams | Option | OptionDefault | MemberType | Constant | ConstantTable | Components | Sheet
    | Zone | EachPlayerHas | Variable | Definition | Action | Setup | Play | Score | Winner | Invariant | Possible
    | Ends | Secret | Unchecked | Bounds | Measure | Strategy | Example | Focus | Claim
)  # fmt: skip


# ---- files and changes ---------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class Remove(Node):
    """`remove phase raid`"""

    kind: str
    name: Name | Text


@attrs.frozen(eq=False, repr=False)
class Replace(Node):
    """`replace phase act: …`, `replace score: …`"""

    by: Declaration | Phase


@attrs.frozen(eq=False, repr=False)
class Insert(Node):
    """`before phase act: …`, `after phase …`, `start of phase …`, `end of phase …`"""

    where: OneOf["before", "after", "start of", "end of"]
    phase: Name
    body: Body


Change = Remove | Replace | Insert
Section = Declaration | Change | Hole


@attrs.frozen(eq=False, repr=False)
class Header(Node):
    """`game "Title"`, `variant "Title" of chipbanditen/standard`, `pieces "Title"`"""

    kind: OneOf["game", "variant", "pieces"]
    title: Text
    of: Text | None = None


@attrs.frozen(eq=False, repr=False)
class File(Node):
    """A whole file."""

    header: Header | None
    sections: tuple[Section, ...]
