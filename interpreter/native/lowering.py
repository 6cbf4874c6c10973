"""A checked game with its players, options and agents made into flow: what all of the compiler works with.

The modules beside this one have a function for each construct of the language: `values` for what is worked out,
`sets` for sets and lists, `items` for zones and what lies in them, `steps` for statements and phases, `happenings` for
chance, `choices` for decisions, `agents` for who answers them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import attrs

from ...dsl import rules
from ...dsl.source import NOWHERE, Span
from ...dsl.tree import walk
from ..expressions import Expressions
from ..layout import Layout, holds_items
from ..sight import Sight, fields_behind
from . import agents, constructs, sets, steps
from .code import (
    NONE,
    NOTHING,
    Op,
    Region,
    Shared,
    add,
    address,
    at,
    call,
    compare,
    do,
    known,
    load,
    no,
    num,
    number,
    plain,
    store,
    test,
    when,
)
from .exploring import Exploration
from .flow import Ask, Block, Branch, End, Flow, Function, Jump, Local
from .interrupts import CHANCE, Interrupts
from .listings import Bits, Listing, Numbers, Prepared, Written
from .memory import FAULT_FIRST, FAULT_SECOND, FAULT_SITE, NOTED, Memory, Table
from .survey import Survey
from .tallies import Tallies
from .trying import Trying
from .uct import Tree
from .watching import Watching

TRACE = 8_000_000
"""So many bytes of answers are noted of a game."""

MOST_SMALL = 63
"""Elements below this number can be bits of one number; the highest bit stands for `none`."""


@attrs.frozen
class Limits:
    """What stops a game that does not stop by itself: decisions in a game, steps between two requests."""

    decisions: int = 10_000
    steps: int = 100_000


@attrs.frozen
class Site:
    """A place in the rules that may be a fault: what is said there, with up to two numbers, and by which rule."""

    message: str
    span: Span
    path: tuple[str, ...] = ()
    action: str | None = None
    own: bool = False
    """Whether it is a limit of machine code alone."""


class Lowering:
    """Makes the flow of one game."""

    def __init__(
        self,
        layout: Layout,
        seated: Sequence[Any],
        limits: Limits,
        traced: bool,
        interrupted: bool = False,
        watching: Callable[["Lowering"], Watching] | None = None,
        nodes: int = 0,
    ) -> None:
        self.layout = layout
        self.game = layout.game
        self.seated = seated
        """Who plays each seat: `random`, `first`, `greedy`, or a strategy."""
        # Who plays step by step counts the decisions himself.
        self.limits = attrs.evolve(limits, decisions=2**62) if interrupted else limits
        self.traced = traced
        """Whether answers are noted down."""
        self.rooms: dict[str, Region] = {}
        self.tallies: Tallies
        self.around = steps.Around()
        self.brief, self.steps = constructs.BRIEF, constructs.STEPS
        self.memory = Memory(layout)
        greedy = "greedy" in seated
        self.interrupts = Interrupts(self) if interrupted or greedy else None
        self.exploration: Exploration | None = None
        self.watching = watching(self) if watching is not None else None
        self.tree = Tree(self, nodes) if nodes else None
        self.before = Expressions(layout)
        self.flow = Flow(layout)
        self.definitions = {rule.name: rule for rule in self.game.definitions}
        self.actions = {rule.name: rule for rule in self.game.actions}
        survey = Survey(self.game)
        self.rising, self.calls, self.all_stay = survey.rising(), survey.calls, survey.all_stay
        self.sites: list[Site] = []
        self.slots: dict[int, int] = {}
        """The slot of each local that the state holds."""
        self.together: dict[int, int] = {}
        """For what players choose together: the slot of the first seat."""
        self.turns: list[int] = []
        """For what players choose together: the slot that says how many have been asked."""
        self.env: Mapping[int, Op | Listing] = {}
        """What other locals are worth here."""
        self.at_end = False
        """Whether the game is over, and nothing is bound."""
        self.over: set[int] = set()
        """The slots of parts of the program that are over, and hold nothing."""
        self.watcher: Op | None = None
        """The seat of the strategy that looks, in a strategy."""
        self.block = Block("")
        self.looks = Sight(layout, self.before).looks
        self.failing = self.flow.function("fault", ("t", "n", "n"))
        self.failing.fill(
            Op("store", (at(0), self.failing.parameter(0).get), (FAULT_SITE, 4)),
            Op("store", (at(0), self.failing.parameter(1).get), (FAULT_FIRST, 8)),
            Op("store", (at(0), self.failing.parameter(2).get), (FAULT_SECOND, 8)),
        )
        self.f: Function = self.failing
        self.trying: Trying | None = None
        if greedy:
            assert self.interrupts is not None and not interrupted, "who plays step by step tries options himself"
            self.trying = Trying(self, self.interrupts)
        self.tried = self.trying.failing(self.failing) if self.trying is not None else self.failing
        """What is called where a fault may be one of a trial."""
        self.made: dict[Any, Function] = {}
        """Functions by what they are for."""
        self.routines: dict[str, steps.Routine] = {}
        """Actions in which something is asked."""
        self.noticed: dict[tuple[str, str], bool] = {}
        """What has been found out about definitions and actions."""
        self.over_block = Block("over")
        """Where the game is over."""
        self.path: tuple[str, ...] = ()
        """The phases around what is compiled, outermost first."""
        self.action: str | None = None

    @property
    def keeping_on(self) -> Watching | None:
        """Where it is noted that properties are broken, if that stops nothing."""
        return self.watching if self.watching is not None and self.watching.notes else None

    # ---- functions -------------------------------------------------------------------------------------

    @contextmanager
    def inside(self, function: Function) -> Iterator[Function]:
        """A stretch in which code goes into another function, with nothing bound."""
        before = self.f, self.env, self.block
        self.f, self.env, self.block = function, {}, Block("")
        try:
            yield function
        finally:
            self.f, self.env, self.block = before

    @contextmanager
    def where(self, env: Mapping[int, Op | Listing]) -> Iterator[None]:
        """A stretch with other locals."""
        before, self.env = self.env, env
        try:
            yield
        finally:
            self.env = before

    def bound(self, local: rules.Local, value: Op | Listing) -> Mapping[int, Op | Listing]:
        """The locals here, with one more."""
        return {**self.env, local.number: value}

    def shared(self, name: str) -> Shared:
        """A value that functions share."""
        if name not in self.flow.shared:
            self.flow.shared[name] = Shared(name)
        found = self.flow.shared[name]
        found.users.add(self.f)
        return found

    def read(self, name: str) -> Op:
        """A shared value."""
        return Op("shared", (), self.shared(name), "n")

    def write(self, name: str, value: Op) -> Op:
        """A shared value is set."""
        return Op("share", (value,), self.shared(name))

    # ---- blocks ----------------------------------------------------------------------------------------

    def emit(self, op: Op) -> None:
        """More code for the block."""
        self.block.code.append(op)

    def begin(self, block: Block) -> None:
        """A block begins here; what is open leads on to it."""
        if self.block.end is None:
            self.block.end = Jump(block)
        block.number = len(self.f.blocks)
        self.f.blocks.append(block)
        self.block = block

    def end(self, end: End) -> None:
        """The block ends; what comes until the next begins is never played."""
        if self.block.end is None:
            self.block.end = end
        self.block = Block("never")

    @property
    def reached(self) -> bool:
        """Whether play can come here."""
        return self.block.number >= 0

    # ---- small things ----------------------------------------------------------------------------------

    def fault(
        self, message: str, span: Span, first: Op | None = None, second: Op | None = None, own: bool = False
    ) -> Op:
        """The end of play by a fault; `own` where the reference engine knows no such limit."""
        numbers = [number(each) if each is not None else num(0) for each in (first, second)]
        return Op("fault", (at(self.site(message, span, own)), *numbers), self.failing if own else self.tried)

    def site(self, message: str, span: Span, own: bool = False) -> int:
        """The number of a place that may be a fault."""
        self.sites.append(Site(message, span, self.path, self.action, own))
        return len(self.sites) - 1

    def keep(self, value: Op) -> tuple[Op, Op]:
        """A value worked out once: the statement, and how to read it."""
        if value.name in ("get", "num", "at"):
            return NOTHING, value
        local = self.f.local(value.type)
        return local.set(value), local.get

    def known(self, expr: rules.Expr) -> Any:
        """What an expression is worth before play."""
        return self.before.value(expr)

    def table(self, name: str, numbers: Any) -> Table:
        """A table of numbers."""
        return self.memory.table(name, numbers)

    # ---- expressions -----------------------------------------------------------------------------------

    def value(self, expr: rules.Expr) -> Op:
        """A single value: a test where it is yes or no, else a number."""
        return constructs.VALUES[type(expr)](self, expr)

    def number(self, expr: rules.Expr) -> Op:
        """The same as a number."""
        return number(self.value(expr))

    def number_of(self, expr: rules.Expr) -> Op:
        """The same as a number, where `none` is no use."""
        return number(self.sure(expr))

    def test(self, expr: rules.Expr) -> Op:
        """The same as a test."""
        return test(self.value(expr))

    def sure(self, expr: rules.Expr) -> Op:
        """The same for a place where `none` is no use."""
        value = self.value(expr)
        return self.something(value, expr.span) if isinstance(expr.type, rules.Maybe) else value

    def something(self, value: Op, span: Span) -> Op:
        """A value, with a fault where it is `none`."""
        if known(value) not in (None, NONE):
            return value
        message = "there is a value here only sometimes, and now there is none"
        if known(value) == NONE:
            return do(self.fault(message, span), num(0))
        kept, it = self.keep(number(value))
        return do(kept, when(compare("is", it, num(NONE)), self.fault(message, span)), it)

    def listing(self, expr: rules.Expr) -> Listing:
        """A set or list."""
        return constructs.SETS[type(expr)](self, expr)

    def items(self, expr: rules.Expr) -> Listing:
        """A set of items, for a set or for one item."""
        if isinstance(expr.type, rules.Many):
            return self.listing(expr)
        one = self.f.local()
        return sets.single(self, one.set(self.sure(expr)), one.get, self.small(expr.type))

    def small(self, type_: rules.Type | None) -> bool:
        """Whether all elements of a type lie in 0..62, so that a set of them can be bits of one number."""
        match type_:
            case rules.Item(kinds):
                return all(self.layout.kinds[kind].end <= MOST_SMALL for kind in kinds)
            case rules.Player():
                return self.layout.players <= MOST_SMALL
            case rules.Member(_, names):
                return len(names) <= MOST_SMALL
            case rules.Number(low, high):
                return low >= 0 and high < MOST_SMALL
            case rules.YesNo():
                return True
        return False

    # ---- locals ----------------------------------------------------------------------------------------

    def as_bits(self, local: rules.Local) -> bool:
        """Whether the set that a local holds is bits of one number."""
        return isinstance(local.type, rules.Many) and self.small(local.type.of) and local.number in self.rising

    def slot(self, local: rules.Local) -> int:
        """A slot of the state for a local, a new one if it has none."""
        if local.number not in self.slots:
            as_list = isinstance(local.type, rules.Many) and not self.as_bits(local)
            self.slots[local.number] = self.memory.local(local.name, local.type, as_list)
        return self.slots[local.number]

    def control(self, name: str, type_: rules.Type, as_list: bool = False) -> int:
        """A slot of the program itself."""
        return self.memory.local(name, type_, as_list)

    def read_slot(self, slot: int) -> Op:
        """The number in a slot."""
        return self.memory.cells[slot].read()

    def write_slot(self, slot: int, value: Op) -> Op:
        """A number for a slot."""
        return self.memory.cells[slot].write(number(value))

    def unbind(self, slot: int) -> Op:
        """A slot holds nothing."""
        if slot in self.memory.cells:
            return self.memory.cells[slot].write(num(NONE))
        return store(at(0), at(-1), self.memory.lists[slot], 4)

    def is_bound(self, slot: int) -> Op:
        """Whether a slot holds anything."""
        if slot in self.memory.cells:
            return compare("is not", self.read_slot(slot), num(NONE))
        return no(plain("t <", load(at(0), self.memory.lists[slot], 4, "t"), at(0)))

    def set_in(self, slot: int, type_: rules.Type, small: bool = False) -> Listing:
        """The set or list in a slot."""
        of = type_.of if isinstance(type_, rules.Many) else None
        if slot in self.memory.cells:
            return Bits(self, MOST_SMALL, True, True, word=self.read_slot(slot))
        return Written(self, self.most(of), small, self.small(of), where=at(self.memory.lists[slot]))

    def most(self, type_: rules.Type | None) -> int:
        """How many different values of a type there are."""
        match type_:
            case rules.Item(kinds):
                return sum(self.layout.kinds[kind].end - self.layout.kinds[kind].first for kind in kinds)
            case rules.Player():
                return self.layout.players
            case rules.Member(_, names):
                return len(names)
            case rules.Number(low, high):
                return min(high - low + 1, 1_000_000)
            case rules.Maybe(of):
                return self.most(of) + 1
        return 2

    def bind(self, local: rules.Local, expr: rules.Expr, brief: bool) -> Op:
        """A local gets an expression's value: in the state, or in the function where nothing is asked meanwhile."""
        if isinstance(local.type, rules.Many):
            return self.bind_set(local, self.listing(expr), brief)
        return self.bind_value(local, self.number(expr), brief)

    def bind_value(self, local: rules.Local, value: Op, brief: bool) -> Op:
        """A local gets a value."""
        if local.number in self.slots or not brief:
            return self.write_slot(self.slot(local), value)
        kept = self.f.local()
        self.env = self.bound(local, kept.get)
        return kept.set(value)

    def bind_set(self, local: rules.Local, listing: Listing, brief: bool) -> Op:
        """A local gets a set."""
        bits = self.as_bits(local)
        if local.number in self.slots or not brief:
            slot = self.slot(local)
            return self.write_slot(slot, listing.bits()) if bits else listing.into(self.memory.lists[slot])
        if bits:
            kept = self.f.local()
            self.env = self.bound(local, Bits(self, listing.bound, True, True, word=kept.get))
            return kept.set(listing.bits())
        written, found = self.written(listing)
        self.env = self.bound(local, found)
        return written

    def written(self, listing: Listing) -> tuple[Op, Written]:
        """A listing written out as a list: the statement, and the list."""
        room = self.memory.room("list", 0)
        written = listing.into(room)
        return written, Written(self, listing.bound, listing.rising, listing.small, where=at(room))

    def again(self, listing: Listing) -> tuple[Op, Listing]:
        """A listing that can be gone through several times: the statement, and the listing."""
        if isinstance(listing, Prepared):
            made, then = self.again(listing.then)
            return do(listing.first, made), then
        if isinstance(listing, Bits) and listing.word.name in ("get", "num"):
            return NOTHING, listing
        if listing.rising and listing.small:
            kept, word = self.keep(listing.bits())
            sole = listing.sole if isinstance(listing, Bits) else -1
            return kept, Bits(self, listing.bound, True, True, word=word, sole=sole)
        return self.written(listing)

    def lasting(self, listing: Listing) -> tuple[Op, Listing]:
        """A listing that stays as it is, whatever changes meanwhile: the statement, and the listing."""
        if isinstance(listing, Prepared):
            made, then = self.lasting(listing.then)
            return do(listing.first, made), then
        if isinstance(listing, Numbers) and settled(listing.first) and settled(listing.last):
            return NOTHING, listing
        return self.again(listing)

    @property
    def seats(self) -> Listing:
        """The seats still in."""
        return sets.seats(self)

    def held(self) -> bool:
        """Whether rules may hold on to items here."""
        return self.action is not None or any(slot not in self.over for slot in self.marks())

    def holding_alike(self) -> Function:
        """The function that says whether rules hold on to both of two items or to neither; filled at the end."""
        if "holding" not in self.made:
            self.made["holding"] = self.flow.function("held_alike", ("n", "n"), "t")
            self.made["holding"].faults = False
        return self.made["holding"]

    def holding_likes(self) -> Function:
        """The function that gives the items that rules hold on to as they do to one; filled at the end."""
        if "likes" not in self.made:
            self.made["likes"] = self.flow.function("held_likes", ("n",), "n")
            self.made["likes"].faults = False
        return self.made["likes"]

    def fields_behind(self, kind: rules.Kind, name: str) -> set[str]:
        """A field with all those it is worked out from."""
        return fields_behind(kind, name)

    def shared_room(self, name: str, size: int) -> Region:
        """Room that all functions share, as large as the largest wish."""
        if name not in self.rooms:
            self.rooms[name] = self.memory.room(name, 0)
        self.rooms[name].need(size)
        return self.rooms[name]

    # ---- what is asked ---------------------------------------------------------------------------------

    def asks(self) -> None:
        """What happens whenever something is asked: invariants are looked at, and steps are counted anew."""
        self.emit(self.write("left", num(self.limits.steps)))
        self.emit(self.write("idle", num(self.limits.steps)))
        moments = [rule.moment for rule in self.game.invariants]
        if self.keeping_on is not None:
            moments += [rule.moment for rule in self.game.possibles]
        if any(isinstance(moment, rules.Always | rules.Never) for moment in moments):
            self.emit(call(self.always))

    def enter(self) -> None:
        """A statement begins at which play may be stopped: what comes before its request changes nothing."""
        if self.interrupts is not None:
            self.interrupts.enter()

    def waits(self) -> None:
        """A decision is asked for, whatever can be chosen: that is worked out when whoever decides is asked."""
        if self.interrupts is None:
            self.asks()
            return
        fresh, on = Block("asked"), Block("on")
        self.end(Branch(self.interrupts.is_resuming, on, fresh))
        self.begin(fresh)
        self.asks()
        if self.trying is not None:
            self.trying.end(on)
        self.begin(on)

    def chance(
        self,
        name: str,
        span: Span,
        inside: Op,
        then: Block,
        given: Callable[[Interrupts], Op],
        thrown: rules.Expr | None = None,
    ) -> None:
        """An event of chance, answered by the stream; `given` makes what the script answers."""
        script = self.interrupts
        if script is None:
            self.asks()
        else:
            script.ask(name, span, num(CHANCE), num(0), given(script), self.asks, then, thrown)
        self.end(Ask("chance", name, inside, then))

    def decided(
        self,
        options: Any,
        answer: Local,
        then: Block,
        missing: Op = NOTHING,
        labels: Mapping[str, Op] | None = None,
    ) -> None:
        """The decision that is waited for, answered by whoever plays the seat; `missing` makes sure that there is
        something to choose.

        `labels` are the names of the options, where they have any, and whether each is open.
        """

        def asked() -> None:
            message = f"the game has not ended after {self.limits.decisions:,} decisions"
            made = self.read("decisions")
            over = compare(">=", made, num(self.limits.decisions))
            self.emit(when(over, self.fault(message, options.span)))
            self.emit(self.write("decisions", add(made, num(1))))
            self.emit(missing)

        if self.interrupts is None:
            asked()
        else:
            given = answer.set(agents.scripted(self, options))
            owner, count = agents.asked(self, options), options.optional_count
            self.interrupts.ask(options.name, options.span, owner, count, given, asked, then, None, labels)
        self.end(Ask("decision", options.name, answer.set(agents.answer(self, options)), then))

    def trace_option(self, answer: Op) -> None:
        """Notes the answer to a decision, where games are traced."""
        if self.traced:
            self.trace([answer], -1)

    def trace(self, values: list[Op], head: int | None = None) -> None:
        """Notes the answer to an event of chance."""
        if self.traced:
            noted = [num(len(values) if head is None else head), *values]
            self.emit(do(*[call(self.noting, value) for value in noted]))

    def trace_list(self, listing: Listing, value: Callable[[Op], Op]) -> None:
        """Notes the answer to an event of chance, one number for each element."""
        if self.traced:
            noted = listing.each(lambda each: call(self.noting, value(each)))
            self.emit(do(call(self.noting, listing.count()), noted))

    @property
    def noting(self) -> Function:
        """The function that notes a number."""
        if "note" not in self.made:
            function = self.made["note"] = self.flow.function("note", ("n",))
            room = self.shared_room("trace", TRACE)
            with self.inside(function):
                place = load(at(0), NOTED)
                full = self.fault("the game is too long to be noted down", NOWHERE)
                function.fill(
                    when(compare(">=", place, num(TRACE)), full),
                    store(address(place), function.parameter(0).get, room),
                    store(at(0), add(place, num(8)), NOTED),
                )
        return self.made["note"]

    @property
    def always(self) -> Function:
        """The function that looks at the invariants that always hold; filled at the end."""
        if "always" not in self.made:
            self.made["always"] = self.flow.function("always")
        return self.made["always"]

    def looked_at(self) -> set[int]:
        """The slots of locals that invariants and measures read."""
        numbers = self.moment_locals
        seats = range(self.layout.players)
        alone = {slot for number, slot in self.slots.items() if number in numbers}
        return alone | {first + seat for number, first in self.together.items() if number in numbers for seat in seats}

    @cached_property
    def moment_locals(self) -> set[int]:
        """The numbers of the locals that invariants and measures read."""
        rules_ = [rule.condition for rule in self.game.invariants] + [rule.value for rule in self.game.measures]
        nodes = [node for value in rules_ for node, _ in walk(value)]
        return {node.number for node in nodes if isinstance(node, rules.Local | rules.LocalOf)}

    def body(self, body: rules.Body) -> None:
        """Statements one after the other."""
        steps.body(self, body)

    def marks(self) -> list[int]:
        """The slots in which rules hold on to items."""
        layout = self.layout
        return [slot for slot, type_ in enumerate(layout.types) if holds_items(type_) and slot not in layout.zone_at]


def settled(op: Op) -> bool:
    """Whether an operation reads nothing but locals and constants."""
    return op.name in ("get", "num") or (op.name == "+" and all(settled(part) for part in op.parts))
