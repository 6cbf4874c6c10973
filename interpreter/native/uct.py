"""Search as machine code: UCT over decisions, from a position whose hidden part is shuffled anew for every rollout.

The tree is open-loop: a node is a row of decisions, whatever chance did between them. So what can be chosen in a node
differs from visit to visit; what there is now is considered, and how often an option was there counts where UCB has
the visits of the parent. An option is known by what its player sees of it and not by its number: to keep two sixes is
the same option in every throw. A node is an entry of a hash table, under a key mixed from all that led there.

A decision is made inside of play, where it is asked: for every option `consider` looks up its node, and `decide` takes
the best one, or one that is new. After a new node play goes on to the end by whoever plays the seats, and by what has
been learnt of sets (`learning`).
"""

from math import log
from typing import TYPE_CHECKING

from ...dsl import rules
from . import moments
from .choices import Labels, Ones, Options, SetsOf, counts_room
from .code import (
    NONE,
    NOTHING,
    Label,
    Op,
    add,
    address,
    at,
    both,
    call,
    choose,
    compare,
    copy,
    do,
    either,
    jump_if,
    load,
    loop,
    mul,
    no,
    num,
    number,
    plain,
    store,
    sub,
    when,
)
from .determinisation import Determinisation
from .entries import KEY, Entries, key_of, look_of, mixed
from .flow import Function, Local
from .happenings import below
from .learning import Learning, each_group, learnable, look_at, looks_room
from .listings import Offset, Size

if TYPE_CHECKING:
    from .lowering import Lowering

ONE = 2**20
"""A game won alone."""

EXPLORATION = 0.4
"""UCB adds this times the root of ln(times the option was there) / visits."""

AHEAD = 6
"""So many eighths of an option's worth are how far ahead the player was, the others whether he won."""

NARROW, NARROW_WHERE_KNOWN = 1, 100
"""A node below the root has a second child after so many visits, a third one after four times as many, and so on; the
second number is for where something is known that comes first and is good: what a strategy does that plays the
rollouts, or what has been learnt."""

LEARNT = 300
"""What has been learnt of an option counts as much as so many visits."""

ROUNDS = 1
"""How far ahead a player is counts after his turn and after each turn of so many rounds."""

FURTHEST = 2**16
"""Nobody counts as further ahead."""

MOST_CONSIDERED = 256
"""Of more options than this, so many are considered, always the same ones of a node, and the one that is best by what
has been learnt."""

MOST_DECISIONS = 10_000
"""A rollout is stopped after so many decisions, and counts as lost."""

MOST_DEEP = 256
"""The tree has no more decisions one after the other."""

LOGS = 4096
"""Logarithms of numbers below this are kept in a table."""

FIRST = 2**62
"""The hope for what a strategy does that plays the rollouts."""

MOST_TURNS = 2**32
"""No rollout has so many turns."""

VISITS, THERE, WON, LEAD = (8 * place for place in range(1, 5))
"""An entry: its visits, how often the option was there, the sums of wins and of how far ahead its player was."""

CHILD = 16
"""A child of the root: the option's number, and the address of the entry from the first one."""


class Tree:
    """All there is to searching, in one game."""

    def __init__(self, low: "Lowering", nodes: int) -> None:
        self.low = low
        self.nodes = nodes
        room = low.memory.room
        self.entries = Entries(low, "tree", nodes, 4)
        self.path = room("path", 16 * MOST_DEEP)
        """The entries on the way down, with the seat that decided."""
        self.length = room("path length", 8)
        self.children = room("children of the root", 8 + CHILD * nodes)
        self.usual = room("usual at the root", 8)
        """The option that whoever plays the rollouts would take at the root."""
        self.spread = room("spread", 16)
        """What counts as nothing and as all for how far a player is ahead."""
        self.done = room("rollouts done", 8)
        self.rewards = room("rewards", 16 * low.layout.players)
        """For each seat its share of the win, and how far it was ahead."""
        self.root = low.memory.spare("root")
        self.horizon = ROUNDS * low.layout.players + 1
        """So many turns, who is ahead counts when they are over."""
        self.looks = 2 * self.horizon - 1
        """So many turns it is looked who is ahead."""
        seats = 8 * low.layout.players
        self.sums = room("sums of leads", seats * (self.looks + 1))
        """For each turn and seat how far it was ahead after this turn and those before, together."""
        self.gains = room("gains", seats * self.horizon)
        """For each of the first turns what it has brought each seat."""
        self.learning = Learning(low, self._scale) if "random" in low.seated else None
        self._functions: dict[str, Function] = {}

    @property
    def searching(self) -> Op:
        """Whether decisions are answered by the search."""
        return compare("is not", self.low.read("searching"), num(0))

    def exports(self, play: Function) -> dict[str, Function]:
        """What searches: `forget` stands before a game, `root` takes the position as it is, and `search` makes rollouts
        and leaves it as it was."""
        forget = self.learning.forget() if self.learning else self.low.flow.function("forget").fill()
        return {"forget": forget, "root": self._take_root(), "search": self._search(play)}

    # ---- a decision ------------------------------------------------------------------------------------

    def answer(self, options: Options, otherwise: Op) -> Op:
        """The number of the option that is tried next; outside of the tree what is played otherwise."""
        low = self.low
        taken = low.f.local()
        several = compare(">", options.optional_count, num(1))
        inside = both(compare("is not", low.read("in tree"), num(0)), several)
        # What players choose together is one step, and none of them knows of the others.
        new = compare("is not", low.read("grown"), num(0))
        step = do(low.write("base", low.read("node")), when(new, low.write("in tree", num(0))))
        begun = step if options.first is None else when(options.first, step)
        decided = taken.set(call(self._decide(), options.owner))
        usual = low.write("usual", num(-1) if self.learning else otherwise)
        searched = do(usual, self._begin(options), self._consider_all(options), decided)
        played = otherwise
        if self.learning and learnable(options):
            early = both(self.searching, several, compare("<", low.read("turns"), num(self.horizon)))
            played = Op("if", (early, self.learning.play(options), otherwise), None, "n")
        return do(
            taken.set(num(-1)),
            begun,
            when(inside, searched),
            when(compare("<", taken.get, num(0)), taken.set(played)),
            taken.get,
        )

    def _begin(self, options: Options) -> Op:
        """A decision begins."""
        low = self.low
        asked = add(mul(num(options.site + 2), num(low.layout.players)), options.owner)
        learnt = self.learning is not None and learnable(options)
        narrow = NARROW if self.learning and not learnt else NARROW_WHERE_KNOWN
        return do(
            low.write("here", mixed(low, plain("xor", low.read("base"), asked))),
            low.write("narrow", num(narrow)),
            low.write("learnt", num(LEARNT if learnt else 0)),
            *[low.write(name, num(0)) for name in ("untried", "tried", "visits")],
            *[low.write(name, num(NONE)) for name in ("best worth", "new hope")],
            low.write("new number", num(-1)),
        )

    def _consider_all(self, options: Options) -> Op:
        if isinstance(options, Labels):
            return self._consider_labels(options)
        assert isinstance(options, Ones | SetsOf)
        low = self.low
        place, number_, key, hope, again = low.f.local(), low.f.local(), low.f.local(), low.f.local(), Label()
        count = options.optional_count
        few = compare("<=", count, num(MOST_CONSIDERED))
        drawn = plain("rem_u", mixed(low, add(low.read("here"), place.get)), count)
        some = choose(few, count, num(MOST_CONSIDERED))
        if isinstance(options, SetsOf):
            prepared, keyed = self._keyed_set(options, number_.get, key, hope)
            if self.learning and learnable(options):
                best = low.f.local()
                prepared = do(prepared, when(no(few), best.set(self.learning.best(options))))
                drawn = choose(compare("is", place.get, num(0)), best.get, drawn)
        else:
            prepared, keyed = hope.set(num(0)), self._keyed(options, number_.get, key)
        if options.optional:
            declined = compare("is", number_.get, options.count.get)
            keyed = when(declined, key.set(num(-1)), keyed)
        return do(
            prepared,
            place.set(num(0)),
            loop(
                again,
                number_.set(choose(few, place.get, drawn)),
                keyed,
                call(self._consider(), number_.get, key.get, hope.get),
                place.set(add(place.get, num(1))),
                jump_if(again, compare("<", place.get, some)),
            ),
        )

    def _consider_labels(self, options: Labels) -> Op:
        place, code = self.low.f.local(), []
        for label, is_open in enumerate(options.open):
            considered = call(self._consider(), place.get, num(label), num(0))
            code.append(when(is_open, do(considered, place.set(add(place.get, num(1))))))
        return do(place.set(num(0)), *code)

    def _keyed(self, options: Ones, number_: Op, key: Local) -> Op:
        """Works out what tells an option from others: what its player sees of it."""
        low = self.low
        made, env = options.trial(number_)
        code = [made, key.set(num(0))]
        for part in options.parts:
            value = env[part.bind.number]
            assert isinstance(value, Op)
            code.append(key.set(mixed(low, add(mul(num(3), key.get), look_of(low, part, options.owner, value)))))
        return do(*code)

    def _keyed_set(self, options: SetsOf, number_: Op, key: Local, hope: Local) -> tuple[Op, Op]:
        """What is done once for all sets, and what works out the key of one, and what has been learnt of it."""
        low = self.low
        group = low.f.local("t")
        counts, looks = counts_room(low, options.groups.sorted.bound), looks_room(low, options)
        taken = load(group.get, counts)
        prepared = [look_at(low, options)]
        code = [key.set(add(key.get, mul(taken, load(group.get, looks))))]
        if self.learning and learnable(options):
            prepared.append(self.learning.weigh(options, doubted=False))
            code.append(hope.set(add(hope.get, mul(taken, load(group.get, self.learning.merits(options))))))
        keyed = do(
            options.counted(options.among_all(number_)),
            key.set(num(0)),
            hope.set(num(0)),
            each_group(options, group, do(*code)),
        )
        return do(*prepared), keyed

    def _consider(self) -> Function:
        """The function for an option of this number and key."""
        if "consider" in self._functions:
            return self._functions["consider"]
        low = self.low
        f = self._functions["consider"] = low.flow.function("consider", ("n", "n", "n"))
        with low.inside(f):
            number_, child, hope = f.parameter(0).get, f.parameter(1), f.parameter(2)
            place, worth, visits = f.local("t"), f.local(), f.local()
            here = add(mul(num(3), low.read("here")), child.get)  # both are mixed numbers, and often the same ones
            usual = compare("is", number_, low.read("usual"))
            even = both(
                compare("is", hope.get, low.read("new hope")),
                do(compare("is", below(low, low.read("untried")), num(0))),
            )
            untried = do(
                low.write("untried", add(low.read("untried"), num(1))),
                when(usual, hope.set(num(FIRST))),
                when(
                    either(compare(">", hope.get, low.read("new hope")), even),
                    do(low.write("new hope", hope.get), *self._keep("new", number_, place.get, child.get)),
                ),
            )
            there = self.entries.more(place.get, THERE, num(1))
            better = do(
                low.write("best worth", worth.get),
                *self._keep("best", number_, place.get, child.get),
            )
            tried = do(
                there,
                low.write("tried", add(low.read("tried"), num(1))),
                visits.set(self.entries.of(place.get, VISITS)),
                low.write("visits", add(low.read("visits"), visits.get)),
                worth.set(add(call(self._worth(), number(place.get)), self._learnt(hope.get, visits.get))),
                when(compare(">", worth.get, low.read("best worth")), better),
            )
            return f.fill(
                child.set(key_of(low, here)),
                place.set(self.entries.find(child.get)),
                when(compare("is", self.entries.of(place.get, KEY), num(0)), untried, tried),
            )

    def _learnt(self, hope: Op, visits: Op) -> Op:
        """What has been learnt of an option, in units of a won game; less and less with its visits."""
        learnt = self.low.read("learnt")
        worth = mul(hope, num(ONE * self.shares // 8))
        sought = plain("div", mul(worth, learnt), mul(self._scale(), add(visits, learnt)))
        return Op("if", (compare("is not", mul(self._scale(), learnt), num(0)), sought, num(0)), None, "n")

    def _keep(self, name: str, number_: Op, place: Op, key: Op) -> list[Op]:
        values = (("number", number_), ("entry", number(place)), ("key", key))
        return [self.low.write(f"{name} {what}", value) for what, value in values]

    def _decide(self) -> Function:
        """The function that takes an option, when all have been considered: its number."""
        if "decide" in self._functions:
            return self._functions["decide"]
        low = self.low
        f = self._functions["decide"] = low.flow.function("decide", ("n",), "n")
        with low.inside(f):
            owner, grown = f.parameter(0).get, f.local("t")
            tried, untried, length = low.read("tried"), low.read("untried"), load(at(0), self.length, 4, "t")
            at_root = both(compare("is not", low.read("at root"), num(0)), compare("is", owner, low.read("searcher")))
            wide = compare("<=", mul(mul(tried, tried), low.read("narrow")), low.read("visits"))
            wanted = both(compare("is not", untried, num(0)), either(at_root, wide))
            shallow = plain("t <", length, at(MOST_DEEP))
            some = either(grown.get, compare("is not", tried, num(0)))
            leave = do(low.write("in tree", num(0)), Op("return", (num(-1),)))
            entry = address(low.read("best entry"))
            made = do(
                *[low.write(f"best {what}", low.read(f"new {what}")) for what in ("number", "entry", "key")],
                self.entries.write(entry, KEY, low.read("best key")),
                self.entries.write(entry, THERE, num(1)),
                low.write("made", add(low.read("made"), num(1))),
                low.write("grown", num(1)),
            )
            child = load(at(0), self.children, 4, "t")
            noted = do(
                store(mul(child, at(CHILD)), low.read("best number"), Offset(self.children, 8)),
                store(mul(child, at(CHILD)), low.read("best entry"), Offset(self.children, 16)),
                store(at(0), add(child, at(1)), self.children, 4),
            )
            step = mul(length, at(16))
            return f.fill(
                grown.set(both(shallow, compare("<", low.read("made"), num(self.nodes)), wanted)),
                when(no(both(shallow, some)), leave),
                when(grown.get, made),
                store(step, low.read("best entry"), self.path),
                store(step, owner, Offset(self.path, 8)),
                store(at(0), add(length, at(1)), self.length, 4),
                low.write("node", mixed(low, plain("xor", low.read("node"), low.read("best key")))),
                when(
                    at_root,
                    do(
                        low.write("at root", num(0)),
                        store(at(0), low.read("usual"), self.usual),
                        when(grown.get, noted),
                        low.write("sample", self.entries.of(entry, VISITS)),
                        self._throw_again(),
                    ),
                ),
                low.read("best number"),
            )

    def _throw_again(self) -> Op:
        """Chance begins anew: for options of the root that have been tried equally often it is the same from here."""
        low = self.low
        which = add(low.read("sample"), mul(num(MOST_TURNS), low.read("turns")))
        return low.write("position", mixed(low, add(low.read("chance"), which)))

    # ---- nodes -----------------------------------------------------------------------------------------

    def _worth(self) -> Function:
        """The function that gives UCB of an entry, in units of a won game."""
        low = self.low
        if "worth" in self._functions:
            return self._functions["worth"]
        f = self._functions["worth"] = low.flow.function("worth", ("n",), "n")
        logs = low.table("logarithms", [0, *[round(EXPLORATION**2 * ONE**2 * log(n)) for n in range(1, LOGS)]])
        doubled = round(EXPLORATION**2 * ONE**2 * log(2))
        with low.inside(f):
            entry, visits, there, more, again = f.local("t"), f.local(), f.local(), f.local(), Label()
            span = sub(low.read("most"), low.read("least"))
            won = plain("div", self.entries.of(entry.get, WON), visits.get)
            above = sub(self.entries.of(entry.get, LEAD), mul(low.read("least"), visits.get))
            ahead = plain("div", mul(above, num(ONE)), mul(span, visits.get))
            both_ = plain("div", add(mul(won, num(8 - self.shares)), mul(ahead, num(self.shares))), num(8))
            halve = do(there.set(plain("shr", there.get, num(1))), more.set(add(more.get, num(doubled))))
            return f.fill(
                entry.set(address(f.parameter(0).get)),
                visits.set(self.entries.of(entry.get, VISITS)),
                there.set(self.entries.of(entry.get, THERE)),
                more.set(num(0)),
                when(
                    compare(">=", there.get, num(LOGS)),
                    loop(again, halve, jump_if(again, compare(">=", there.get, num(LOGS)))),
                ),
                add(
                    choose(compare(">", span, num(0)), both_, won),
                    Op("root", (plain("div", add(logs.read(there.get), more.get), visits.get),), None, "n"),
                ),
            )

    # ---- rollouts --------------------------------------------------------------------------------------

    def _take_root(self) -> Function:
        """The function that begins a search: of the seat that decides, and where its chance comes from."""
        low = self.low
        f = low.flow.function("root", ("n", "n"))
        with low.inside(f):
            return f.fill(
                copy(at(self.root), at(low.memory.state), at(Size(low.memory.state))),
                self.entries.clear(),
                low.write("searcher", f.parameter(0).get),
                low.write("chance", f.parameter(1).get),
                *[low.write(name, num(0)) for name in ("made", "leads", "squares", "least", "most")],
                *[store(at(0), num(0), room) for room in (self.length, self.children, self.done)],
            )

    def _search(self, play: Function) -> Function:
        """The function that makes so many rollouts. One that a fault stops is lost; the next call goes on after it."""
        low = self.low
        assert low.interrupts is not None
        script = low.interrupts
        f = low.flow.function("search", ("n",))
        with low.inside(f):
            left, again = f.parameter(0), Label()
            back_up, reward = self._back_up(), self._reward()
            from_root = copy(at(low.memory.state), at(self.root), at(Size(low.memory.state)))
            rollout = do(
                call(back_up),
                from_root,
                low.write("position", mixed(low, sub(low.read("chance"), load(at(0), self.done)))),
                Determinisation(low).shuffle(low.read("searcher")),
                *[when(low.is_bound(slot), low.write_slot(slot, num(0))) for slot in low.turns],
                *[low.write(name, num(0)) for name in ("node", "base", "turns", "grown", "noted")],
                *[low.write(name, num(1)) for name in ("searching", "in tree", "at root")],
                *[low.write(name, num(low.limits.steps)) for name in ("left", "idle")],
                low.write("decisions", num(low.limits.decisions - MOST_DECISIONS)),
                store(at(0), add(load(at(0), self.done), num(1)), self.done),
                store(at(0), num(0), script.stopping),
                store(at(0), num(0), script.stopped),
                store(at(0), num(1), script.resuming),
                call(play),
                call(reward),
                left.set(sub(left.get, num(1))),
            )
            going = compare(">", left.get, num(0))
            return f.fill(
                when(going, loop(again, rollout, jump_if(again, going))),
                call(back_up),
                low.write("searching", num(0)),
                from_root,
            )

    @property
    def shares(self) -> int:
        """How many eighths of an option's worth are how far ahead the player was."""
        return 8 if self.low.layout.players == 1 else AHEAD

    def _scale(self) -> Op:
        """How far apart is what counts as nothing and as all, in what a turn brings."""
        return num(ONE) if self.rank is None else sub(self.low.read("most"), self.low.read("least"))

    @property
    def rank(self) -> rules.Rank | rules.Score | None:
        """What is compared first to tell who wins."""
        game = self.low.game
        if not isinstance(game.winner, rules.Winners) and game.winner:
            return game.winner[0]
        return game.score

    def _seats(self) -> range:
        return range(self.low.layout.players)

    def _cell(self, seat: int, what: int) -> Offset:
        return Offset(self.rewards, 16 * seat + 8 * what)

    def _back_up(self) -> Function:
        """The function that adds what the last rollout has brought to the nodes on its way; the next one is lost, as
        far as is known."""
        low = self.low
        f = low.flow.function("back_up")
        with low.inside(f):
            place, entry, seat, again = f.local("t"), f.local("t"), f.local("t"), Label()
            step = do(
                place.set(sub(place.get, at(16))),
                entry.set(load(place.get, self.path, 4, "t")),
                seat.set(mul(load(place.get, Offset(self.path, 8), 4, "t"), at(16))),
                self.entries.more(entry.get, VISITS, num(1)),
                self.entries.more(entry.get, WON, load(seat.get, self.rewards)),
                self.entries.more(entry.get, LEAD, load(seat.get, Offset(self.rewards, 8))),
                jump_if(again, place.get),
            )
            return f.fill(
                place.set(mul(load(at(0), self.length, 4, "t"), at(16))),
                when(place.get, loop(again, step)),
                store(at(0), at(0), self.length, 4),
                *[store(at(0), num(0), self._cell(seat, what)) for seat in self._seats() for what in range(2)],
            )

    def _reward(self) -> Function:
        """The function that looks who has won a rollout, and who was how far ahead."""
        low, players = self.low, self.low.layout.players
        teams = low.game.teams or players
        f = low.flow.function("reward")
        with low.inside(f):
            winners, flags = f.local(), low.rooms["winners"]
            total = num(0)
            for seat in self._seats():
                total = add(total, load(at(0), Offset(flags, 8 * seat)))
            share = plain("div", num(ONE * (players // teams)), winners.get)
            code = [winners.set(total)]
            for seat in self._seats():
                won = load(at(0), Offset(flags, 8 * seat), 4, "t")
                code.append(when(won, store(at(0), share, self._cell(seat, 0))))
            if self.rank is not None:
                turn, again = f.local(), Label()
                more = compare("<", turn.get, num(self.looks))
                look = loop(again, turn.set(add(turn.get, num(1))), call(self._look(), turn.get), jump_if(again, more))
                code += [turn.set(low.read("turns")), when(more, look)]
                code += [store(at(0), self._sum(self.horizon, seat), self._cell(seat, 1)) for seat in self._seats()]
            code += self._spread()
            if self.learning and self.learning.sites:
                code += [*self._gains(), call(self.learning.learn(self.gains))]
            return f.fill(*code)

    def _sum(self, turn: int, seat: int) -> Op:
        """How far ahead a seat was after this turn and those before."""
        return load(at(0), Offset(self.sums, 8 * (turn * self.low.layout.players + seat)))

    def _gains(self) -> list[Op]:
        """What each of the first turns has brought each seat: how far it was ahead after it and after each turn of the
        round that follows, against how far before; where nothing is compared, its share of the win."""
        code = []
        for turn in range(self.horizon):
            for seat in self._seats():
                after = sub(self._sum(turn + self.horizon, seat), self._sum(turn, seat))
                before = sub(self._sum(turn, seat), self._sum(turn - 1, seat)) if turn else num(0)
                share = load(at(0), self._cell(seat, 0))
                gain = share if self.rank is None else sub(after, mul(num(self.horizon), before))
                code.append(store(at(0), gain, Offset(self.gains, 8 * (turn * self.low.layout.players + seat))))
        return code

    def _spread(self) -> list[Op]:
        """What is usual for how far ahead a player is: two standard deviations on both sides of the mean."""
        low = self.low
        lead, mean, half = low.f.local(), low.f.local(), low.f.local()
        code = []
        for seat in self._seats():
            more = (("leads", lead.get), ("squares", mul(lead.get, lead.get)))
            code.append(lead.set(load(at(0), self._cell(seat, 1))))
            code += [low.write(name, add(low.read(name), value)) for name, value in more]
        count = mul(load(at(0), self.done), num(low.layout.players))
        variance = sub(plain("div", low.read("squares"), count), mul(mean.get, mean.get))
        return [
            *code,
            mean.set(plain("div", low.read("leads"), count)),
            half.set(mul(num(2), Op("root", (variance,), None, "n"))),
            low.write("least", sub(mean.get, half.get)),
            low.write("most", add(mean.get, half.get)),
            store(at(0), low.read("least"), self.spread),
            store(at(0), low.read("most"), Offset(self.spread, 8)),
        ]

    def turn_over(self) -> Op:
        """A turn is over: in the first ones of a rollout it counts who is ahead."""
        low = self.low
        early = compare("<=", low.read("turns"), num(self.looks))
        looked = NOTHING if self.rank is None else when(early, call(self._look(), low.read("turns")))
        return when(self.searching, do(looked, self._throw_again()))

    def _look(self) -> Function:
        """The function that looks how far each seat is ahead of the best of the others, after so many turns: by what is
        compared first to tell who wins."""
        low = self.low
        if "look" in self._functions:
            return self._functions["look"]
        f = self._functions["look"] = low.flow.function("look", ("n",))
        players = low.layout.players
        teams, rank = low.game.teams or players, self.rank
        assert rank is not None
        sign = -1 if isinstance(rank, rules.Rank) and not rank.highest else 1
        room = low.memory.room("compared", 8 * players)
        mine: list[Op] = [mul(num(sign), load(at(0), Offset(room, 8 * seat))) for seat in self._seats()]
        with low.inside(f):
            code = [moments.by_seat(low, rank.me, rank.value, room)]
            best, here = f.local(), mul(address(sub(f.parameter(0).get, num(1))), at(8 * players))
            for seat in self._seats():
                others = [other for other in self._seats() if other % teams != seat % teams]
                code.append(best.set(mine[others[0]] if others else num(0)))
                for other in others[1:]:
                    code.append(when(compare(">", mine[other], best.get), best.set(mine[other])))
                least, most = num(-FURTHEST), num(FURTHEST)
                before, after = (Offset(self.sums, 8 * (place + seat)) for place in (0, players))
                code += [
                    best.set(sub(mine[seat], best.get)),
                    best.set(choose(compare("<", best.get, least), least, best.get)),
                    best.set(choose(compare(">", best.get, most), most, best.get)),
                    store(here, add(load(here, before), best.get), after),
                ]
            return f.fill(*code)
