"""The checked tree: what a ruleset means.

Built only by `dsl.check`. Every name is resolved: declarations are referred to by their unique name,
everything bound inside a statement (a chosen die, a loop's card, the player whose turn it is) is a
`Local` with a number of its own. Every expression carries its type. Nothing here depends on how many
play or on the options chosen; an engine fixes those when it lays out its state.

Values are whole numbers, yes/no (`bool`), `None`, members and players by their index from 0, items by
their number from 0; sets and lists are tuples of these.
"""

from typing import Literal as OneOf

import attrs

from .source import NOWHERE, Span
from .tree import Said

LEAST, MOST = -(2**63), 2**63 - 1


@attrs.frozen(eq=False, repr=False)
class Rule(Said):
    """Anything that means something, with the place where it was written."""

    span: Span = attrs.field(default=NOWHERE, kw_only=True, eq=False, repr=False)


# ---- types ---------------------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class Number(Said):
    """A whole number known to lie in `low..high` under every option and number of players."""

    low: int = LEAST
    high: int = MOST


@attrs.frozen(eq=False, repr=False)
class YesNo(Said):
    """Yes or no."""


@attrs.frozen(eq=False, repr=False)
class Member(Said):
    """One of a type's members, by its index in `names`."""

    type: str
    names: tuple[str, ...]


@attrs.frozen(eq=False, repr=False)
class Item(Said):
    """A component or a cell, of one of these kinds."""

    kinds: tuple[str, ...]


@attrs.frozen(eq=False, repr=False)
class Player(Said):
    """A seat."""


@attrs.frozen(eq=False, repr=False)
class Maybe(Said):
    """A value or `none`."""

    of: "Number | YesNo | Member | Item | Player"


@attrs.frozen(eq=False, repr=False)
class Many(Said):
    """A set or a list. `of` is None for the empty one whose elements nobody named."""

    of: "Type"


Single = Number | YesNo | Member | Item | Player | Maybe
Type = Single | Many


# ---- expressions ---------------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class Valued(Rule):
    """An expression; `type` is what it gives."""

    type: Type = attrs.field(kw_only=True, eq=False)


@attrs.frozen(eq=False, repr=False)
class Constant(Valued):
    """A value written down."""

    value: int | bool | None


@attrs.frozen(eq=False, repr=False)
class OptionValue(Valued):
    """What the table chose for an option."""

    name: str


@attrs.frozen(eq=False, repr=False)
class TableValue(Valued):
    """An entry of a declared constant; one index for each of its dimensions (none for a single value)."""

    name: str
    indexes: tuple["Expr", ...]


@attrs.frozen(eq=False, repr=False)
class Local(Valued):
    """A value bound by a statement or an expression around this one. `number` is unique in the game."""

    number: int
    name: str


@attrs.frozen(eq=False, repr=False)
class LocalOf(Valued):
    """What one player chose together with the others: the local `number` of `player`."""

    number: int
    name: str
    player: "Expr"


@attrs.frozen(eq=False, repr=False)
class VariableValue(Valued):
    """A variable, or an element of one. `player` is None for shared variables."""

    name: str
    player: "Expr | None"
    indexes: tuple["Expr", ...]


@attrs.frozen(eq=False, repr=False)
class ZoneItems(Valued):
    """The items in a zone or sheet. `indexes` is None for all parts of an indexed zone together."""

    name: str
    player: "Expr | None"
    indexes: "tuple[Expr, ...] | None"


@attrs.frozen(eq=False, repr=False)
class AllItems(Valued):
    """Every item of a kind, wherever it is."""

    kind: str


@attrs.frozen(eq=False, repr=False)
class FieldOf(Valued):
    """A field (fixed, derived, face or changing) of one item."""

    item: "Expr"
    field: str


@attrs.frozen(eq=False, repr=False)
class Players(Valued):
    """Those still in the game, in seat order; `everyone` also counts those who are out."""

    everyone: bool = False


@attrs.frozen(eq=False, repr=False)
class Others(Valued):
    """Those still in, without `player`, in seat order beginning after that player."""

    player: "Expr"


@attrs.frozen(eq=False, repr=False)
class Span_(Valued):
    """The numbers from `low` to `high`, none when `low` is greater."""

    low: "Expr"
    high: "Expr"


@attrs.frozen(eq=False, repr=False)
class Members(Valued):
    """All members of a type, in order. The element type says which."""


@attrs.frozen(eq=False, repr=False)
class Filter(Valued):
    """The elements for which `condition` holds, with `each` bound to the element."""

    source: "Expr"
    each: Local
    condition: "Expr"


@attrs.frozen(eq=False, repr=False)
class Mapped(Valued):
    """A list: `value` for every element, with `each` bound to it. Elements keep their order, equal values stay."""

    source: "Expr"
    each: Local
    value: "Expr"


@attrs.frozen(eq=False, repr=False)
class Aggregate(Valued):
    """count, sum, max, min, any (not empty / some value is yes), all, distinct over one list.

    `any` over a list of yes/no asks whether some value is yes; over anything else whether it is not empty.
    `max` and `min` of an empty list give `default`, or are a fault where that is None.
    """

    kind: OneOf["count", "sum", "max", "min", "any", "all", "distinct"]
    source: "Expr"
    default: "Expr | None" = None


@attrs.frozen(eq=False, repr=False)
class Greatest(Valued):
    """max(a, b, …) or min(a, b, …) of values written one by one."""

    values: tuple["Expr", ...]
    highest: bool


@attrs.frozen(eq=False, repr=False)
class Extreme(Valued):
    """All elements whose key is the highest (or lowest), in the source's order; empty for an empty source."""

    source: "Expr"
    each: Local
    key: "Expr"
    highest: bool


@attrs.frozen(eq=False, repr=False)
class Ranked(Valued):
    """The `count` largest (or smallest) values of a list, largest (smallest) first; all when there are fewer."""

    count: "Expr"
    source: "Expr"
    largest: bool


@attrs.frozen(eq=False, repr=False)
class FirstOf(Valued):
    """The first `count` elements in the source's order."""

    count: "Expr"
    source: "Expr"


@attrs.frozen(eq=False, repr=False)
class Only(Valued):
    """The only element; a fault when there is not exactly one."""

    source: "Expr"


@attrs.frozen(eq=False, repr=False)
class Arithmetic(Valued):
    """Two numbers. `/` rounds down, `/up` rounds up, `mod` takes the sign of its right side.

    `unsafe` says that no check could rule out leaving 64 bits; division by zero is always a fault.
    """

    operator: OneOf["+", "-", "*", "/", "/up", "mod"]
    left: "Expr"
    right: "Expr"
    unsafe: bool = True


@attrs.frozen(eq=False, repr=False)
class Absolute(Valued):
    """abs(n)"""

    value: "Expr"


@attrs.frozen(eq=False, repr=False)
class Compare(Valued):
    """`is`, `is not` on values of any type (sets: the same elements), the orders on numbers."""

    operator: OneOf["is", "is not", "<", "<=", ">", ">="]
    left: "Expr"
    right: "Expr"


@attrs.frozen(eq=False, repr=False)
class Contains(Valued):
    """Whether `element` is in `source` (`in`, `has`)."""

    element: "Expr"
    source: "Expr"


@attrs.frozen(eq=False, repr=False)
class Union(Valued):
    """Elements in either set, each once, left first (items: in item order)."""

    left: "Expr"
    right: "Expr"


@attrs.frozen(eq=False, repr=False)
class Difference(Valued):
    """Elements of the left set that are not in the right one."""

    left: "Expr"
    right: "Expr"


@attrs.frozen(eq=False, repr=False)
class Not(Valued):
    """not"""

    value: "Expr"


@attrs.frozen(eq=False, repr=False)
class Both(Valued):
    """and: terms from left to right, stopping at the first no"""

    terms: tuple["Expr", ...]


@attrs.frozen(eq=False, repr=False)
class Either(Valued):
    """or: terms from left to right, stopping at the first yes"""

    terms: tuple["Expr", ...]


@attrs.frozen(eq=False, repr=False)
class Conditional(Valued):
    """`then if condition else otherwise`"""

    condition: "Expr"
    then: "Expr"
    otherwise: "Expr"


@attrs.frozen(eq=False, repr=False)
class Neighbour(Valued):
    """The seat `steps` further on (negative: back) among those still in; `player` itself need not be."""

    player: "Expr"
    steps: "Expr"


@attrs.frozen(eq=False, repr=False)
class SeatOf(Valued):
    """A player's seat, counted from 1."""

    player: "Expr"


@attrs.frozen(eq=False, repr=False)
class PlayerAt(Valued):
    """The player in a seat counted from 1; a fault when there is none."""

    seat: "Expr"


@attrs.frozen(eq=False, repr=False)
class TeamOf(Valued):
    """A player's team, counted from 1."""

    player: "Expr"


@attrs.frozen(eq=False, repr=False)
class OwnerOf(Valued):
    """The player whose zone or sheet holds an item; a fault for a shared zone."""

    item: "Expr"


@attrs.frozen(eq=False, repr=False)
class ItemAt(Valued):
    """The item at a position of a stacked zone: from the bottom counted from 1, or the top (`position` None).

    A fault when there is none, or when its order is not known since a shuffle.
    """

    zone: ZoneItems
    position: "Expr | None"


@attrs.frozen(eq=False, repr=False)
class PlaceOf(Valued):
    """An item's position in its stacked zone, counted from 1 at the bottom."""

    item: "Expr"


@attrs.frozen(eq=False, repr=False)
class Call(Valued):
    """A definition's value for these arguments, in the order of its parameters."""

    definition: str
    arguments: tuple["Expr", ...]


@attrs.frozen(eq=False, repr=False)
class Something(Valued):
    """A value that may be `none` where something must be: a fault when it is `none`."""

    value: "Expr"


@attrs.frozen(eq=False, repr=False)
class InRange(Valued):
    """A number handed to a parameter with a range: a fault when it lies outside."""

    value: "Expr"
    range: "Range"


Expr = (
    Constant | OptionValue | TableValue | Local | LocalOf | VariableValue | ZoneItems | AllItems | FieldOf
    | Players | Others | Span_ | Members | Filter | Mapped | Aggregate | Greatest | Extreme | Ranked | FirstOf
    | Only | Arithmetic | Absolute | Compare | Contains | Union | Difference | Not | Both | Either | Conditional
    | Neighbour | SeatOf | PlayerAt | TeamOf | OwnerOf | ItemAt | PlaceOf | Call | Something | InRange
)  # fmt: skip


# ---- statements ----------------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class Destination(Rule):
    """Where items go: a zone, and for stacked zones where in it."""

    zone: ZoneItems
    at: OneOf["top", "bottom", "place"] = "top"
    place: "Expr | None" = None


@attrs.frozen(eq=False, repr=False)
class Move(Rule):
    """Items (a set, or one) go to a zone, in the set's order; with `showing`, all show that face."""

    items: Expr
    to: Destination
    showing: Expr | None = None


@attrs.frozen(eq=False, repr=False)
class Throw(Rule):
    """Chance: each item (a set, or one) shows one of its faces."""

    items: Expr


@attrs.frozen(eq=False, repr=False)
class Amount(Rule):
    """How many: `one` or between `low` and `high` (None: no upper end); `up to` never asks for more than there are."""

    kind: OneOf["one", "exactly", "up to", "at least", "between", "any"]
    low: Expr
    high: Expr | None


@attrs.frozen(eq=False, repr=False)
class Draw(Rule):
    """Chance: items at random out of a set; from a stacked zone (source is a ZoneItems) its top.

    With fewer items than asked for, a fault. `bind` gets the items, or the one item for the amount `one`.
    """

    amount: Amount
    source: Expr
    to: Destination | None
    bind: Local | None


@attrs.frozen(eq=False, repr=False)
class Shuffle(Rule):
    """The order of a stacked zone is unknown from here on."""

    zone: ZoneItems


@attrs.frozen(eq=False, repr=False)
class Pick(Rule):
    """Chance: one value of a set, evenly or by `weight` (with `each` bound to the value)."""

    source: Expr
    each: Local
    weight: Expr | None
    bind: Local


@attrs.frozen(eq=False, repr=False)
class Turn(Rule):
    """Items (a set, or one) show a face, without chance."""

    items: Expr
    face: Expr


@attrs.frozen(eq=False, repr=False)
class Assign(Rule):
    """A variable (or element), or a changing field or face of an item, gets a value; `+` and `-` change a number.

    `low..high` is checked where the value's own range does not already lie inside.
    """

    place: VariableValue | FieldOf
    operator: OneOf["=", "+", "-"]
    value: Expr
    unsafe: bool = True


@attrs.frozen(eq=False, repr=False)
class Let(Rule):
    """A local gets its value."""

    bind: Local
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Do(Rule):
    """Run an action; `arguments` in the order of its parameters (an implicit `me` first, where it has one)."""

    action: str
    arguments: tuple[Expr, ...]


@attrs.frozen(eq=False, repr=False)
class Eliminate(Rule):
    """A player is out of the game."""

    player: Expr


@attrs.frozen(eq=False, repr=False)
class EndGame(Rule):
    """The game ends here."""


@attrs.frozen(eq=False, repr=False)
class EndPass(Rule):
    """The current pass of an enclosing phase ends (a phase without passes ends)."""

    phase: str


@attrs.frozen(eq=False, repr=False)
class Leave(Rule):
    """An enclosing phase ends altogether."""

    phase: str


@attrs.frozen(eq=False, repr=False)
class Again(Rule):
    """The current pass ends and the same player (or repetition) gets another one."""

    phase: str


@attrs.frozen(eq=False, repr=False)
class Break(Rule):
    """Leaves the innermost for or repeat."""


@attrs.frozen(eq=False, repr=False)
class Pay(Rule):
    """A number goes from one conserved variable to another."""

    amount: Expr
    source: VariableValue
    target: VariableValue


@attrs.frozen(eq=False, repr=False)
class Case(Rule):
    """A condition and what to do when it is the first that holds."""

    condition: Expr
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class If(Rule):
    """The first case that holds, else `otherwise`."""

    cases: tuple[Case, ...]
    otherwise: "Body"


@attrs.frozen(eq=False, repr=False)
class MatchCase(Rule):
    """Values, and what to do for them."""

    values: tuple[int | bool | None, ...]
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class Match(Rule):
    """The case that names the value, else `otherwise`."""

    value: Expr
    cases: tuple[MatchCase, ...]
    otherwise: "Body"


@attrs.frozen(eq=False, repr=False)
class Order(Rule):
    """Elements by the key, with `each` bound; elements with equal keys keep their order."""

    each: Local
    key: Expr
    descending: bool


@attrs.frozen(eq=False, repr=False)
class For(Rule):
    """Once for each element of a set taken at the start."""

    bind: Local
    source: Expr
    order: Order | None
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class RepeatTimes(Rule):
    """A number of times, fixed at the start."""

    count: Expr
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class RepeatUntil(Rule):
    """Until a condition holds, tested before each pass."""

    condition: Expr
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class Part(Rule):
    """One thing to choose. The amount `one` binds an element, every other amount a set (of items)."""

    amount: Amount
    source: Expr
    bind: Local


@attrs.frozen(eq=False, repr=False)
class Choose(Rule):
    """A decision of `owner`: one part, or several that each take one. `site` numbers the decisions of a game.

    With `optional`, declining comes last; `otherwise` runs then, else `body`. With `or_else`, nothing is asked where
    there is no option, and `otherwise` runs. With neither, no option is a fault, and both blocks are empty.
    """

    site: int
    name: str
    owner: Expr
    parts: tuple[Part, ...]
    such_that: Expr | None
    optional: bool = False
    or_else: bool = False
    body: "Body" = ()
    otherwise: "Body" = ()


@attrs.frozen(eq=False, repr=False)
class ChooseTogether(Rule):
    """Each of `players` decides on what they saw before; `each` is the one who decides.

    The parts' locals are bound for each of these players: read by `LocalOf`.
    """

    site: int
    name: str
    players: Expr
    each: Local
    parts: tuple[Part, ...]
    such_that: Expr | None


@attrs.frozen(eq=False, repr=False)
class Labelled(Rule):
    """An option with a label, a text for people, and a guard."""

    name: str
    text: str
    when: Expr | None
    body: "Body"


@attrs.frozen(eq=False, repr=False)
class ChooseLabel(Rule):
    """A decision between labels."""

    site: int
    name: str
    owner: Expr
    labels: tuple[Labelled, ...]


@attrs.frozen(eq=False, repr=False)
class Once(Rule):
    """A phase with a single pass."""


@attrs.frozen(eq=False, repr=False)
class Times(Rule):
    """A phase repeated a number of times, fixed at its start."""

    count: Expr


@attrs.frozen(eq=False, repr=False)
class Until(Rule):
    """A phase repeated until a condition holds, tested before each pass."""

    condition: Expr


@attrs.frozen(eq=False, repr=False)
class EachPlayer(Rule):
    """A pass for every player still in, in seat order from `start` (None: the first seat).

    `where` is tested before a pass with `me` bound to its player. `order` sorts the players once, at the start
    (its `each` is the player). `in_turn` goes round and round. `until` is tested before each pass, with `me`
    the player of the pass before (the last one's) only for the engine's convenience: it may not be read.
    """

    me: Local
    in_turn: bool
    start: Expr | None
    where: Expr | None
    order: Order | None
    until: Expr | None


@attrs.frozen(eq=False, repr=False)
class Phase(Rule):
    """A named part of play. `me` is the player around it, where there is one (EachPlayer has its own).

    A `shell` only stands around what is played of it alone: when it ends, nothing is looked at.
    """

    name: str
    kind: Once | Times | Until | EachPlayer
    body: "Body"
    shell: bool = False


Statement = (
    Move | Throw | Draw | Shuffle | Pick | Turn | Assign | Let | Do | Eliminate | EndGame | EndPass | Leave
    | Again | Break | Pay | If | Match | For | RepeatTimes | RepeatUntil | Choose | ChooseTogether | ChooseLabel
    | Phase
)  # fmt: skip
Body = tuple[Statement, ...]


FREE = (
    "components and conserved numbers are kept",
    "every value stays in its range",
    "every decision has an option",
    "nothing is asked after the end",
    "the game comes to an end",
    "everything can happen",
    "no option does nothing",
    "options and answers agree",
    "chances add up to one",
    "the same answers give the same game",
    "looking changes nothing",
    "playing on changes no earlier position",
    "positions survive being written down",
    "a record replays",
    "the text survives being formatted",
    "scores stay in their bounds",
    "the winners are well defined",
    "only players still in take turns",
    "nothing hidden shows",
    "nobody needs to see more",
    "seats are alike",
    "balance and length",
    "every number of players and option can be played",
    "no number grows for ever",
    "order of simultaneous effects",
    "count of positions",
    "both engines agree",
    "every property was put to the test",
    "play never breaks off",
)
"""What is looked at in every game without being asked for, by name."""


# ---- declarations --------------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class Range(Rule):
    """The values from `low` to `high`, which may depend on options, constants and the number of players."""

    low: Expr
    high: Expr


@attrs.frozen(eq=False, repr=False)
class Domain(Rule):
    """A finite type to index by, or the type of a field: its values in order.

    `range` is given for numbers and holds the exact ends; `type` their widest reading.
    """

    type: Single
    range: Range | None = None


@attrs.frozen(eq=False, repr=False)
class Option(Rule):
    """A setting that a table may change: Number, Member or YesNo. The default may use the number of players."""

    name: str
    text: str
    domain: Domain
    default: Expr


@attrs.frozen(eq=False, repr=False)
class Table(Rule):
    """A declared constant: `values` row by row over `shape` (one value for the shape ())."""

    name: str
    shape: tuple[Domain, ...]
    values: tuple[Expr, ...]


@attrs.frozen(eq=False, repr=False)
class Field(Rule):
    """A fixed field; a derived one has `value`, an expression over `it`, the item."""

    name: str
    domain: Domain
    value: Expr | None = None


@attrs.frozen(eq=False, repr=False)
class FaceSet(Rule):
    """Faces with their weights, for the items whose field `Faces.by` has the value `case` (None: for all)."""

    case: int | bool | None
    faces: tuple[tuple[int, int], ...]


@attrs.frozen(eq=False, repr=False)
class Faces(Rule):
    """What a throw shows. A range of numbers stands in `range` and is even; else `sets` has the faces."""

    name: str
    type: Single
    range: Range | None
    by: str | None
    sets: tuple[FaceSet, ...]


@attrs.frozen(eq=False, repr=False)
class Changing(Rule):
    """A field that rules may change."""

    name: str
    domain: Domain
    initial: Expr
    visibility: OneOf["open", "private", "hidden"]


@attrs.frozen(eq=False, repr=False)
class Hide(Rule):
    """Fields nobody sees unless a condition on the item `it` holds."""

    fields: tuple[str, ...]
    it: Local
    unless: Expr


@attrs.frozen(eq=False, repr=False)
class Row(Rule):
    """What a table says of some items: the values of the fields that are not derived, in order."""

    values: tuple[int | bool | None, ...]
    copies: int


@attrs.frozen(eq=False, repr=False)
class Kind(Rule):
    """A component, or a sheet's cells.

    `rows` is None where there are `copies` of each combination of the fields (the last one runs fastest).
    A sheet's cells lie for ever in the zone of the same name; `owned` says that each player has one.
    """

    name: str
    sheet: bool
    owned: bool
    it: Local
    fields: tuple[Field, ...]
    faces: Faces | None
    changing: tuple[Changing, ...]
    hides: tuple[Hide, ...]
    label: tuple[str, ...]
    rows: tuple[Row, ...] | None
    copies: Expr


@attrs.frozen(eq=False, repr=False)
class Zone(Rule):
    """A place for items; `owned`: one for each player; `shape`: one for each combination of these.

    Every game has the zone `box`, where all its components begin.
    """

    name: str
    kinds: tuple[str, ...]
    owned: bool
    shape: tuple[Domain, ...]
    visibility: OneOf["open", "private", "hidden"]
    stacked: bool
    sheet: bool = False


@attrs.frozen(eq=False, repr=False)
class Variable(Rule):
    """A changing value, or an array of them; `owned`: one for each player."""

    name: str
    owned: bool
    shape: tuple[Domain, ...]
    domain: Domain
    initial: Expr
    visibility: OneOf["open", "private", "hidden"]
    conserved: bool


@attrs.frozen(eq=False, repr=False)
class Definition(Rule):
    """A named expression. An implicit `me` comes first among the parameters where the body needs one."""

    name: str
    parameters: tuple[Local, ...]
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Action(Rule):
    """A named piece of play. An implicit `me` comes first among the parameters where the body needs one."""

    name: str
    parameters: tuple[Local, ...]
    body: Body


@attrs.frozen(eq=False, repr=False)
class Always(Rule):
    """Whenever a request is pending, and at the end."""


@attrs.frozen(eq=False, repr=False)
class Never(Rule):
    """The same moments as `Always`, for a condition that must not hold."""


@attrs.frozen(eq=False, repr=False)
class After(Rule):
    """Whenever a pass of a phase ends."""

    phase: str


@attrs.frozen(eq=False, repr=False)
class AfterAction(Rule):
    """Whenever an action ends."""

    action: str


@attrs.frozen(eq=False, repr=False)
class AtEnd(Rule):
    """At the end of the game."""


Moment = Always | Never | After | AfterAction | AtEnd


@attrs.frozen(eq=False, repr=False)
class Invariant(Rule):
    """What must hold, and when it is looked at.

    The condition may read the locals of its phase's pass, or those of its action.
    """

    name: str
    moment: Moment
    condition: Expr


@attrs.frozen(eq=False, repr=False)
class Monotone(Rule):
    """A number, or each number of a list, that never gets less (`rising`) or never more from request to request."""

    name: str
    value: Expr
    rising: bool


@attrs.frozen(eq=False, repr=False)
class LeadsTo(Rule):
    """From wherever `first` holds, every way on comes to where `second` holds before the game ends.

    `within` is how many passes of which phase may end before that (None: any number).
    """

    name: str
    first: Expr
    second: Expr
    within: tuple[Expr, str] | None


@attrs.frozen(eq=False, repr=False)
class Possible(Rule):
    """What some game must come to. With `then`, that must hold later in the same game."""

    name: str
    moment: Always | After | AfterAction | AtEnd
    condition: Expr
    then: Expr | None


@attrs.frozen(eq=False, repr=False)
class Ends(Rule):
    """How surely the game ends: after a bounded number of decisions, with probability one, or after so many."""

    kind: OneOf["surely", "almost surely", "within"]
    count: Expr | None = None
    of: OneOf["turns", "decisions"] | None = None


@attrs.frozen(eq=False, repr=False)
class Secret(Rule):
    """Items that the player `me` has for nobody else to see, until a pass of the phase `until` begins."""

    name: str
    me: Local
    until: str | None
    items: Expr


@attrs.frozen(eq=False, repr=False)
class Unchecked(Rule):
    """A property that is not looked at, and why. `name` is an own property's, or one of `FREE`."""

    name: str
    reason: str


@attrs.frozen(eq=False, repr=False)
class Measure(Rule):
    """A figure to report, and when it is sampled. The value may read the locals of its phase's pass."""

    name: str
    moment: After | AtEnd
    value: Expr


@attrs.frozen(eq=False, repr=False)
class Rank(Rule):
    """By what players are compared; `me` is the player."""

    me: Local
    value: Expr
    highest: bool


@attrs.frozen(eq=False, repr=False)
class Winners(Rule):
    """A set of players who win."""

    players: Expr


@attrs.frozen(eq=False, repr=False)
class Score(Rule):
    """A player's score; `me` is the player. `bounds`: what it must lie in at the end."""

    me: Local
    value: Expr
    bounds: Range | None


@attrs.frozen(eq=False, repr=False)
class Best(Rule):
    """The option with the highest value, the first of equals; the parts' locals stand for the option."""

    value: Expr


@attrs.frozen(eq=False, repr=False)
class ByValue(Rule):
    """The option that is this value: the element of a one-part choice, a label (its index), None to decline."""

    value: Expr


@attrs.frozen(eq=False, repr=False)
class AtRandom(Rule):
    """Any option, evenly."""


@attrs.frozen(eq=False, repr=False)
class FirstOption(Rule):
    """The first option."""


@attrs.frozen(eq=False, repr=False)
class PolicyIf(Rule):
    """One policy or another."""

    condition: Expr
    then: "Policy"
    otherwise: "Policy"


Policy = Best | ByValue | AtRandom | FirstOption | PolicyIf


@attrs.frozen(eq=False, repr=False)
class SitePolicy(Rule):
    """What to do at one decision."""

    site: int
    policy: Policy


@attrs.frozen(eq=False, repr=False)
class Strategy(Rule):
    """A policy for some decisions; `otherwise` for the rest."""

    name: str
    policies: tuple[SitePolicy, ...]
    otherwise: AtRandom | FirstOption


@attrs.frozen(eq=False, repr=False)
class ScriptLine(Rule):
    """An answer as text: the request's name, and the items between commas (words with one space between)."""

    name: str
    items: tuple[str, ...]


@attrs.frozen(eq=False, repr=False)
class Given(Rule):
    """Statements without decision or chance that set a position up."""

    body: Body


@attrs.frozen(eq=False, repr=False)
class PlayPart(Rule):
    """One pass of a phase (with `player` as its `me`), an action, the setup, or the whole play, with a script.

    `body` is what runs: for an EachPlayer phase one pass for that player, for other phases the whole phase.
    """

    title: str
    body: Body
    script: tuple[ScriptLine, ...]


@attrs.frozen(eq=False, repr=False)
class Then(Rule):
    """What must be true here."""

    condition: Expr


@attrs.frozen(eq=False, repr=False)
class Example(Rule):
    """A rule shown at work. `with_setup`: the setup runs first."""

    name: str
    players: int
    options: tuple[tuple[str, int | bool], ...]
    with_setup: bool
    steps: tuple[Given | PlayPart | Then, ...]


@attrs.frozen(eq=False, repr=False)
class Focus(Rule):
    """One part of play from a described position, for every way it can go.

    The `given` blocks run after the setup, where there is one. `then` must hold where the part ends; `value` is what
    `player` makes as high as possible. `player` is whom the part is played for, if it is played for one.
    """

    name: str
    players: int
    options: tuple[tuple[str, int | bool], ...]
    with_setup: bool
    given: tuple[Given, ...]
    part: PlayPart
    then: tuple[Then, ...]
    value: Expr | None
    player: Expr | None


BEST = "best"
"""The strategy of a claim about games in which everybody plays as well as possible."""


@attrs.frozen(eq=False, repr=False)
class Claim(Rule):
    """That a figure of many games lies in `low..high` (decimal texts). `of`: a seat from 1, a measure's name, None.

    `strategy` may also be `BEST`.
    """

    name: str
    strategy: str | None
    figure: OneOf["win_rate", "shared_rate", "mean_score", "mean", "turns", "decisions"]
    of: int | str | None
    low: str
    high: str


@attrs.frozen(eq=False, repr=False)
class Game(Rule):
    """A whole ruleset."""

    title: str
    players: tuple[int, int]
    teams: int | None
    options: tuple[Option, ...]
    tables: tuple[Table, ...]
    settled: tuple[str, ...]
    """The names of all options and tables, each after those it needs."""
    kinds: tuple[Kind, ...]
    zones: tuple[Zone, ...]
    variables: tuple[Variable, ...]
    definitions: tuple[Definition, ...]
    actions: tuple[Action, ...]
    setup: Body
    play: Body
    score: Score | None
    winner: tuple[Rank, ...] | Winners
    invariants: tuple[Invariant, ...]
    measures: tuple[Measure, ...]
    strategies: tuple[Strategy, ...]
    examples: tuple[Example, ...]
    claims: tuple[Claim, ...]
    monotones: tuple[Monotone, ...]
    leads: tuple[LeadsTo, ...]
    possibles: tuple[Possible, ...]
    endings: tuple[Ends, ...]
    secrets: tuple[Secret, ...]
    unchecked: tuple[Unchecked, ...]
    focuses: tuple[Focus, ...]
    locals: int
    """The highest number of a local."""
