"""Rollouts learn which elements of a set to take, as long as a game lasts.

Of a set that is to be chosen there are many, and what is good in one of them is mostly good in others: so it is learnt
of each element by itself, known by what its player sees of it. Kept is how much better than usual rollouts went in
which it was taken, and in which it was left; the difference is its *merit*. Rollouts take what has a merit above zero,
and doubt it as much as little is known. The tree begins with what the merits of its elements say of an option.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeGuard

from .choices import Options, SetsOf, counts_room, rank, sizes_room
from .code import (
    Label,
    Op,
    Region,
    add,
    address,
    at,
    block,
    both,
    call,
    choose,
    compare,
    do,
    either,
    jump,
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
from .entries import KEY, Entries, key_of, look_of
from .flow import Function, Local
from .happenings import below
from .listings import Offset

if TYPE_CHECKING:
    from .lowering import Lowering

CAUTION = 20
"""A mean counts as if it had been zero so many times before."""

USUAL_FOR = 400
"""What is usual is the mean of so many elements noted lately, or half of them."""

MOST_KNOWN = 2048
"""No more elements are learnt about."""

MOST_NOTED = 1024
"""No more are noted in a rollout."""

TAKEN, LEFT = 8, 24
"""An entry: how often it was taken, what that brought, and the same where it was left."""
TIMES, BROUGHT = 0, 8

NOTE = 16
"""A note: an entry with what was done, what was usual then, and the seat and turn."""


class Learning:
    """What one who searches learns in a game."""

    def __init__(self, low: "Lowering", scale: Callable[[], Op]) -> None:
        self.low = low
        self.scale = scale
        """How far apart the worst and the best are."""
        room = low.memory.room
        self.known = Entries(low, "known elements", MOST_KNOWN, 4)
        self.lately = room("lately", 0)
        """For each decision how many elements were noted lately, and what that brought."""
        self.notes = room("notes", NOTE * MOST_NOTED)
        self.sites: list[int] = []
        """The decisions that are learnt about."""

    def forget(self) -> Function:
        """The function that forgets everything; to be made when all decisions are."""
        low = self.low
        lately = Op("clear", (at(self.lately), at(16 * len(self.sites))))
        return low.flow.function("forget").fill(self.known.clear(), lately, low.write("known", num(0)))

    # ---- what elements are worth -----------------------------------------------------------------------

    def merits(self, options: SetsOf) -> Region:
        """Where the merit of each group stands."""
        return self.low.shared_room("merits", 8 * options.groups.sorted.bound + 8)

    def weigh(self, options: SetsOf, doubted: bool) -> Op:
        """Find out the merits of the groups, which have been looked at."""
        group, merit = self.low.f.local("t"), self._merit()
        key = self._key(options, group.get)
        one = do(store(group.get, call(merit, key, num(int(doubted))), self.merits(options)))
        return each_group(options, group, one)

    def _key(self, options: SetsOf, group: Op) -> Op:
        return key_of(self.low, add(load(group, looks_room(self.low, options)), num(options.site)))

    def _merit(self) -> Function:
        """The function that gives the merit of what has this key, doubted or as it is."""
        low, known = self.low, self.known
        if "merit" in low.made:
            return low.made["merit"]
        f = low.made["merit"] = low.flow.function("merit", ("n", "n"), "n")
        with low.inside(f):
            entry, taken, left, most = f.local("t"), f.local(), f.local(), f.local()

            def mean(what: int) -> Op:
                times = add(known.of(entry.get, what + TIMES), num(CAUTION))
                return plain("div", known.of(entry.get, what + BROUGHT), times)

            square = mul(self.scale(), self.scale())
            variance = add(plain("div", square, taken.get), plain("div", square, left.get))
            doubt = do(
                most.set(Op("root", (variance,), None, "n")),
                sub(below(low, add(mul(num(2), most.get), num(1))), most.get),
            )
            doubted = Op("if", (address(f.parameter(1).get), doubt, num(0)), None, "n")
            any_ = sub(mul(num(2), below(low, num(2))), num(1))
            return f.fill(
                entry.set(known.find(f.parameter(0).get)),
                taken.set(known.of(entry.get, TAKEN + TIMES)),
                left.set(known.of(entry.get, LEFT + TIMES)),
                Op(
                    "if",
                    (
                        either(compare("is", taken.get, num(0)), compare("is", left.get, num(0))),
                        any_,
                        add(sub(mean(TAKEN), mean(LEFT)), doubted),
                    ),
                    None,
                    "n",
                ),
            )

    # ---- what is taken ---------------------------------------------------------------------------------

    def play(self, options: SetsOf) -> Op:
        """The number of the set that a rollout takes, which is noted."""
        low = self.low
        taken = low.f.local()
        weighed = do(look_at(low, options), self.weigh(options, doubted=True))
        return do(weighed, taken.set(self.best(options)), self._note_all(options), taken.get)

    def best(self, options: SetsOf) -> Op:
        """The number of the set that is best by the merits of the groups, which have been weighed."""
        low, total = self.low, self.low.f.local()
        ends = options.groups.firsts.count(), options.least.get, options.most.get
        return do(self._take(options, total), call(rank(low, options.groups.sorted.bound), *ends, total.get))

    def _take(self, options: SetsOf, total: Local) -> Op:
        """Take the best groups: those with a merit above zero, up to the most, and others where there must be more."""
        low, f = self.low, self.low.f
        group, best, wanted, merit = f.local("t"), f.local("t"), f.local(), f.local()
        again, out = Label(), Label()
        bound = options.groups.sorted.bound
        counts, sizes, merits = counts_room(low, bound), sizes_room(low, bound), self.merits(options)
        free = compare("is", load(group.get, counts), num(0))
        better = either(plain("t <", best.get, at(0)), compare(">", load(group.get, merits), merit.get))
        find = when(both(free, better), do(best.set(group.get), merit.set(load(group.get, merits))))
        limit = choose(compare(">", merit.get, num(0)), options.most.get, options.least.get)
        size = load(best.get, sizes)
        return do(
            each_group(options, group, store(group.get, num(0), counts)),
            total.set(num(0)),
            block(
                out,
                loop(
                    again,
                    best.set(at(-1)),
                    each_group(options, group, find),
                    jump_if(out, plain("t <", best.get, at(0))),
                    wanted.set(sub(limit, total.get)),
                    jump_if(out, compare("<=", wanted.get, num(0))),
                    wanted.set(choose(compare("<", size, wanted.get), size, wanted.get)),
                    store(best.get, wanted.get, counts),
                    total.set(add(total.get, wanted.get)),
                    jump(again),
                ),
            ),
        )

    # ---- what is noted ---------------------------------------------------------------------------------

    def _note_all(self, options: SetsOf) -> Op:
        """Note of each group what is taken and what is left."""
        low, group, key = self.low, self.low.f.local("t"), self.low.f.local()
        bound = options.groups.sorted.bound
        taken, size = load(group.get, counts_room(low, bound)), load(group.get, sizes_room(low, bound))
        if options.site not in self.sites:
            self.sites.append(options.site)
            self.lately.need(16 * len(self.sites))
        who = add(options.owner, mul(low.read("turns"), num(low.layout.players)))
        usual = num(16 * self.sites.index(options.site))
        note: Callable[[int], Op] = lambda what: call(self._note(), key.get, num(what), usual, who)  # noqa: E731
        one = do(
            key.set(self._key(options, group.get)),
            when(compare(">", taken, num(0)), note(TAKEN)),
            when(compare("<", taken, size), note(LEFT)),
        )
        return each_group(options, group, one)

    def _note(self) -> Function:
        """The function that notes what has this key as taken or left, at a decision, by a seat in a turn."""
        low, known = self.low, self.known
        if "note element" in low.made:
            return low.made["note element"]
        f = low.made["note element"] = low.flow.function("note_element", ("n", "n", "n", "n"))
        with low.inside(f):
            key, what, usual, who = (f.parameter(place).get for place in range(4))
            entry, noted = f.local("t"), low.read("noted")
            fresh = compare("is", known.of(entry.get, KEY), num(0))
            room = either(no(fresh), compare("<", low.read("known"), num(MOST_KNOWN)))
            new = do(known.write(entry.get, KEY, key), low.write("known", add(low.read("known"), num(1))))
            here = mul(address(noted), at(NOTE))
            write = do(
                when(fresh, new),
                store(here, add(number(entry.get), what), self.notes, 4),
                store(here, usual, Offset(self.notes, 4), 4),
                store(here, who, Offset(self.notes, 8), 4),
                low.write("noted", add(noted, num(1))),
            )
            return f.fill(
                entry.set(known.find(key)),
                when(both(compare("<", noted, num(MOST_NOTED)), room), write),
            )

    def learn(self, gains: Region) -> Function:
        """The function that learns what the notes of a rollout tell, by what its turns have brought each seat."""
        low, known = self.low, self.known
        f = low.flow.function("learn")
        with low.inside(f):
            here, entry, usual = f.local("t"), f.local("t"), f.local("t")
            gain, mean, times, again = f.local(), f.local(), f.local(), Label()
            brought = load(usual.get, Offset(self.lately, BROUGHT))
            write: Callable[[int, Op], Op] = lambda what, value: store(usual.get, value, Offset(self.lately, what))  # noqa: E731
            halve = do(times.set(plain("shr", times.get, num(1))), write(BROUGHT, plain("div", brought, num(2))))
            step = do(
                here.set(sub(here.get, at(NOTE))),
                entry.set(load(here.get, self.notes, 4, "t")),
                usual.set(load(here.get, Offset(self.notes, 4), 4, "t")),
                gain.set(load(mul(load(here.get, Offset(self.notes, 8), 4, "t"), at(8)), gains)),
                times.set(load(usual.get, Offset(self.lately, TIMES))),
                mean.set(gain.get),
                when(compare("is not", times.get, num(0)), mean.set(plain("div", brought, times.get))),
                when(compare(">=", times.get, num(USUAL_FOR)), halve),
                write(TIMES, add(times.get, num(1))),
                write(BROUGHT, add(brought, gain.get)),
                known.more(entry.get, TIMES, num(1)),
                known.more(entry.get, BROUGHT, sub(gain.get, mean.get)),
                jump_if(again, here.get),
            )
            return f.fill(
                here.set(mul(address(low.read("noted")), at(NOTE))),
                when(here.get, loop(again, step)),
            )


def learnable(options: Options) -> TypeGuard[SetsOf]:
    """Whether any elements can be chosen, from so many to so many."""
    return isinstance(options, SetsOf) and options.fit is None and not options.optional


# ---- groups --------------------------------------------------------------------------------------------


def each_group(options: SetsOf, group: Local, body: Op) -> Op:
    """For each group of what can be chosen, by its place in rooms, the last one first."""
    again = Label()
    step = do(group.set(sub(group.get, at(8))), body, jump_if(again, group.get))
    return do(group.set(mul(address(options.groups.firsts.count()), at(8))), when(group.get, loop(again, step)))


def looks_room(low: "Lowering", options: SetsOf) -> Region:
    """Where for each group stands how it looks to who chooses."""
    return low.shared_room("looks", 8 * options.groups.sorted.bound + 8)


def look_at(low: "Lowering", options: SetsOf) -> Op:
    """Find out how the groups look."""
    group, looks = low.f.local("t"), looks_room(low, options)

    def one(each: Op) -> Op:
        look = look_of(low, options.part, options.owner, each)
        return do(store(group.get, look, looks), group.set(add(group.get, at(8))))

    return do(group.set(at(0)), options.groups.firsts.each(one))
