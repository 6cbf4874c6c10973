"""Lark's tree → syntax tree: one method for each rule of the grammar. Knows no messages and reports no problems."""

from collections.abc import Callable
from typing import Any

from lark import Token, Tree

from . import syntax
from .source import Source, Span

_KEPT = frozenset({"NAME", "NUMBER", "DECIMAL", "STRING", "PATH", "TIMES", "UNKNOWN"})
_WITH_WORDS = frozenset({
    "zone_trait", "variable_trait", "by_key", "assign", "rank", "is_empty", "remove", "decimal", "script_item",
    "part_name", "only", "with_strategy",
})  # fmt: skip


def _given(children: tuple[Any, ...]) -> list[Any]:
    return [child for child in children if child is not None]


def _without_holes(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(part for part in parts if not isinstance(part, syntax.Hole))


def build(source: Source, tree: Tree[Token]) -> syntax.File:
    """The syntax tree of a source as read."""
    waiting = [tree]
    for above in waiting:
        waiting += [child for child in above.children if isinstance(child, Tree)]
    build, made = _Build(source), dict[int, _Made]()
    for one in reversed(waiting):
        made[id(one)] = build.rule(one, made)
    file: syntax.File = made[id(tree)][0]
    return file


_Made = tuple[Any, int, int]
"""What a rule has made, and where it begins and ends: comments and line ends are no part of it."""


class _Build:
    """Gives each method the rule's span and its children without mere words."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def rule(self, tree: Tree[Token], made: dict[int, _Made]) -> _Made:
        """What a rule makes of its children, those that are rules having been made before."""
        children: list[Any] = []
        start = end = 0
        for child in tree.children:
            if child is None:
                children.append(None)
                continue
            if isinstance(child, Token):
                value, first, last = child, child.start_pos or 0, child.end_pos or 0
                is_word = child.type not in _KEPT and tree.data not in _WITH_WORDS
            else:
                (value, first, last), is_word = made.pop(id(child)), False
            start, end = first if not end else start, last
            if not is_word:
                children.append(value)
        method: Callable[..., Any] = getattr(self, tree.data)
        return method(Span(self.source, start, end), *children), start, end

    def _name(self, token: Token) -> syntax.Name:
        return syntax.Name(str(token), span=self._span(token))

    def _text(self, token: Token) -> syntax.Text:
        return syntax.Text(str(token).strip('"'), span=self._span(token))

    def _span(self, token: Token) -> Span:
        start = token.start_pos or 0
        return Span(self.source, start, start + len(token))

    # files

    def start(self, span: Span, *parts: Any) -> Any:
        parts = tuple(_given(parts))
        header = parts[0] if parts and isinstance(parts[0], syntax.Header) else None
        whole = Span(self.source, 0, len(self.source.text))
        return syntax.File(header, parts[1:] if header else parts, span=whole)

    def game_header(self, span: Span, title: Token) -> Any:
        return syntax.Header("game", self._text(title), span=span)

    def variant_header(self, span: Span, title: Token, path: Token) -> Any:
        return syntax.Header("variant", self._text(title), self._text(path), span=span)

    def pieces_header(self, span: Span, title: Token) -> Any:
        return syntax.Header("pieces", self._text(title), span=span)

    def hole(self, span: Span, *_: Any) -> Any:
        return syntax.Hole(span=span)

    def use(self, span: Span, path: Token) -> Any:
        return syntax.Use(self._text(path), span=span)

    def players(self, span: Span, *numbers: Token) -> Any:
        given = [int(n) for n in _given(numbers)]
        return syntax.Players(given[0], given[-1], span=span)

    def teams(self, span: Span, count: Token) -> Any:
        return syntax.Teams(int(count), span=span)

    def option(self, span: Span, text: Token | None, name: Token, kind: Any, default: Any) -> Any:
        return syntax.Option(self._text(text) if text else None, self._name(name), kind, default, span=span)

    def option_default(self, span: Span, name: Token, default: Any) -> Any:
        return syntax.OptionDefault(self._name(name), default, span=span)

    def member_type(self, span: Span, name: Token, *members: Token) -> Any:
        return syntax.MemberType(self._name(name), tuple(self._name(m) for m in members), span=span)

    def constant(self, span: Span, name: Token, shape: Any, *values: Any) -> Any:
        return syntax.Constant(self._name(name), shape or (), values, span=span)

    def constant_table(self, span: Span, name: Token, shape: Any, *rows: Any) -> Any:
        return syntax.ConstantTable(self._name(name), shape, _without_holes(rows), span=span)

    # what is in the box

    def components(self, span: Span, name: Token, *lines: Any) -> Any:
        return syntax.Components(self._name(name), lines, span=span)

    def sheet(self, span: Span, name: Token, *lines: Any) -> Any:
        return syntax.Sheet(self._name(name), lines, span=span)

    def field(self, span: Span, name: Token, kind: Any) -> Any:
        return syntax.Field(self._name(name), kind, span=span)

    def derived_field(self, span: Span, name: Token, value: Any) -> Any:
        return syntax.DerivedField(self._name(name), value, span=span)

    def faces(self, span: Span, name: Token, faces: Any) -> Any:
        return syntax.Faces(self._name(name), faces, span=span)

    def faces_by(self, span: Span, name: Token, field: Token, *cases: Any) -> Any:
        return syntax.FacesBy(self._name(name), self._name(field), _without_holes(cases), span=span)

    def face_case(self, span: Span, value: Any, faces: Any) -> Any:
        return syntax.FaceCase(value, faces, span=span)

    def face_list(self, span: Span, *faces: Any) -> Any:
        return faces[0] if isinstance(faces[0], syntax.RangeType) else faces

    def face(self, span: Span, value: Any, times: Token | None) -> Any:
        return syntax.Face(value, int(times[1:]) if times else 1, span=span)

    def hide(self, span: Span, *parts: Any) -> Any:
        return syntax.Hide(tuple(self._name(t) for t in parts[:-1]), parts[-1], span=span)

    def copies(self, span: Span, count: Any) -> Any:
        return syntax.Copies(count, span=span)

    def label_fields(self, span: Span, *names: Token) -> Any:
        return syntax.LabelFields(tuple(self._name(n) for n in names), span=span)

    def table(self, span: Span, *rows: Any) -> Any:
        return syntax.Table(_without_holes(rows), span=span)

    def table_row(self, span: Span, *cells: Any) -> Any:
        return syntax.TableRow(cells, span=span)

    def negative(self, span: Span, number: Token) -> Any:
        return syntax.Number(-int(number), span=span)

    def zone(self, span: Span, name: Token, shape: Any, *rest: Any) -> Any:
        kinds = tuple(self._name(t) for t in rest if isinstance(t, Token))
        traits = tuple(t for t in rest if isinstance(t, syntax.Name))
        return syntax.Zone(self._name(name), shape or (), kinds, traits, span=span)

    def zone_trait(self, span: Span, word: Token) -> Any:
        return self._name(word)

    variable_trait = zone_trait

    def each_player(self, span: Span, *things: Any) -> Any:
        return syntax.EachPlayerHas(things, span=span)

    def variable(self, span: Span, name: Token, shape: Any, kind: Any, initial: Any, *traits: Any) -> Any:
        return syntax.Variable(self._name(name), shape or (), kind, initial, traits, span=span)

    def var_type(self, span: Span, kind: Any) -> Any:
        return kind

    def indexes(self, span: Span, *types: Any) -> Any:
        return types

    def range_type(self, span: Span, low: Any, high: Any) -> Any:
        return syntax.RangeType(low, high, span=span)

    def yes_or_no(self, span: Span) -> Any:
        return syntax.YesOrNo(span=span)

    def member_list(self, span: Span, *names: Token) -> Any:
        return syntax.MemberList(tuple(self._name(n) for n in names), span=span)

    def type_name(self, span: Span, name: Token) -> Any:
        return syntax.TypeName(self._name(name), span=span)

    def optional_type(self, span: Span, of: Any) -> Any:
        return syntax.OrNone(of, span=span)

    def set_type(self, span: Span, name: Token) -> Any:
        return syntax.SetOf(self._name(name), span=span)

    # definitions, actions, bodies

    def definition(self, span: Span, name: Token, parameters: Any, value: Any) -> Any:
        return syntax.Definition(self._name(name), parameters or (), value, span=span)

    def action(self, span: Span, name: Token, parameters: Any, body: Any) -> Any:
        return syntax.Action(self._name(name), parameters or (), body, span=span)

    def parameters(self, span: Span, *parameters: Any) -> Any:
        return parameters

    def parameter(self, span: Span, name: Token, kind: Any) -> Any:
        return syntax.Parameter(self._name(name), kind, span=span)

    def setup(self, span: Span, body: Any) -> Any:
        return syntax.Setup(body, span=span)

    def play(self, span: Span, body: Any) -> Any:
        return syntax.Play(body, span=span)

    def body(self, span: Span, *statements: Any) -> Any:
        return statements

    def phase(self, span: Span, name: Token, *rest: Any) -> Any:
        kind = rest[0] if len(rest) == 2 else syntax.Once(span=span)
        return syntax.Phase(self._name(name), kind, rest[-1], span=span)

    def each_pass(self, span: Span, in_turn: Any, alias: Any, start: Any, where: Any, order: Any, until: Any) -> Any:
        return syntax.EachPlayer(in_turn is not None, alias, start, where, order, until, span=span)

    def in_turn(self, span: Span) -> Any:
        return True

    def as_name(self, span: Span, name: Token) -> Any:
        return self._name(name)

    until_phase = as_name

    def _only_child(self, span: Span, child: Any) -> Any:
        return child

    from_player = where_clause = until_clause = when_clause = such_that = chooser = showing = weighted = _only_child
    by_player = drawn_to = winners = else_ = group = later = _only_child

    def by_key(self, span: Span, *parts: Any) -> Any:
        key = next(p for p in parts if not isinstance(p, Token))
        return syntax.Order(key, parts[-1].type == "DESCENDING", span=span)

    def repeat_pass(self, span: Span, count: Any) -> Any:
        return syntax.Times(count, span=span)

    def until_pass(self, span: Span, condition: Any) -> Any:
        return syntax.Until(condition, span=span)

    def if_(self, span: Span, condition: Any, body: Any, *rest: Any) -> Any:
        more = tuple(r for r in rest if isinstance(r, syntax.Case))
        otherwise = next((r for r in rest if isinstance(r, tuple)), ())
        end = body[-1].span.end if body else condition.span.end
        first = syntax.Case(condition, body, span=Span(self.source, span.start, end))
        return syntax.If((first, *more), otherwise, span=span)

    def else_if(self, span: Span, condition: Any, body: Any) -> Any:
        return syntax.Case(condition, body, span=span)

    def match(self, span: Span, value: Any, *rest: Any) -> Any:
        cases = tuple(r for r in rest if isinstance(r, syntax.MatchCase))
        otherwise = next((r for r in rest if isinstance(r, tuple)), ())
        return syntax.Match(value, cases, otherwise, span=span)

    def match_case(self, span: Span, *parts: Any) -> Any:
        return syntax.MatchCase(parts[:-1], parts[-1], span=span)

    def for_(self, span: Span, bind: Token, source: Any, order: Any, body: Any) -> Any:
        return syntax.For(self._name(bind), source, order, body, span=span)

    def repeat_times(self, span: Span, count: Any, body: Any) -> Any:
        return syntax.RepeatTimes(count, body, span=span)

    def repeat_until(self, span: Span, condition: Any, body: Any) -> Any:
        return syntax.RepeatUntil(condition, body, span=span)

    def choose_label(self, span: Span, owner: Any, name: Token, *labels: Any) -> Any:
        return syntax.ChooseLabel(owner, self._name(name), _without_holes(labels), span=span)

    def labelled(self, span: Span, name: Token, text: Token | None, when: Any, body: Any) -> Any:
        return syntax.Labelled(self._name(name), self._text(text) if text else None, when, body, span=span)

    def may_choose(self, span: Span, owner: Any, parts: Any, such_that: Any, body: Any, otherwise: Any) -> Any:
        return syntax.MayChoose(owner, parts, such_that, body, otherwise or (), span=span)

    def must_choose(self, span: Span, owner: Any, parts: Any, such_that: Any, body: Any, otherwise: Any) -> Any:
        return syntax.MustChoose(owner, parts, such_that, body, otherwise, span=span)

    def choose(self, span: Span, owner: Any, parts: Any, such_that: Any) -> Any:
        return syntax.Choose(owner, parts, such_that, span=span)

    def choose_together(self, span: Span, players: Any, parts: Any, such_that: Any) -> Any:
        return syntax.ChooseTogether(players, parts, such_that, span=span)

    def picks(self, span: Span, *parts: Any) -> Any:
        return parts

    def pick_part(self, span: Span, amount: Any, source: Any, bind: Token) -> Any:
        return syntax.Part(amount, source, self._name(bind), span=span)

    def amount_one(self, span: Span) -> Any:
        return syntax.Amount("one", span=span)

    def amount_any(self, span: Span) -> Any:
        return syntax.Amount("any", span=span)

    def amount_up_to(self, span: Span, high: Any) -> Any:
        return syntax.Amount("up to", None, high, span=span)

    def amount_exactly(self, span: Span, low: Any) -> Any:
        return syntax.Amount("exactly", low, low, span=span)

    def amount_at_least(self, span: Span, low: Any) -> Any:
        return syntax.Amount("at least", low, span=span)

    def amount_between(self, span: Span, low: Any, high: Any) -> Any:
        return syntax.Amount("between", low, high, span=span)

    def move(self, span: Span, items: Any, to: Any, showing: Any) -> Any:
        return syntax.Move(items, to, showing, span=span)

    def to_zone(self, span: Span, zone: Any) -> Any:
        return syntax.Destination(zone, span=span)

    def to_top(self, span: Span, zone: Any) -> Any:
        return syntax.Destination(zone, "top", span=span)

    def to_bottom(self, span: Span, zone: Any) -> Any:
        return syntax.Destination(zone, "bottom", span=span)

    def to_place(self, span: Span, place: Any, zone: Any) -> Any:
        return syntax.Destination(zone, "place", place, span=span)

    def throw(self, span: Span, items: Any) -> Any:
        return syntax.Throw(items, span=span)

    def draw(self, span: Span, amount: Any, source: Any, to: Any, bind: Any) -> Any:
        return syntax.Draw(amount, source, to, bind, span=span)

    def shuffle(self, span: Span, zone: Any) -> Any:
        return syntax.Shuffle(zone, span=span)

    def pick(self, span: Span, source: Any, weight: Any, bind: Token) -> Any:
        return syntax.Pick(source, weight, self._name(bind), span=span)

    def turn(self, span: Span, items: Any, face: Any) -> Any:
        return syntax.Turn(items, face, span=span)

    def assign(self, span: Span, place: Any, operator: Token, value: Any) -> Any:
        return syntax.Assign(place, str(operator), value, span=span)  # type: ignore[arg-type]

    def let(self, span: Span, bind: Token, value: Any) -> Any:
        return syntax.Let(self._name(bind), value, span=span)

    def do(self, span: Span, action: Token, arguments: Any) -> Any:
        return syntax.Do(self._name(action), arguments or (), span=span)

    def arguments(self, span: Span, *values: Any) -> Any:
        return tuple(_given(values))

    def eliminate(self, span: Span, player: Any) -> Any:
        return syntax.Eliminate(player, span=span)

    def end_game(self, span: Span) -> Any:
        return syntax.EndGame(span=span)

    def end_pass(self, span: Span, phase: Token) -> Any:
        return syntax.EndPass(self._name(phase), span=span)

    def leave(self, span: Span, phase: Token) -> Any:
        return syntax.Leave(self._name(phase), span=span)

    def again(self, span: Span, phase: Token) -> Any:
        return syntax.Again(self._name(phase), span=span)

    def break_(self, span: Span) -> Any:
        return syntax.Break(span=span)

    def pay(self, span: Span, amount: Any, source: Any, target: Any) -> Any:
        return syntax.Pay(amount, source, target, span=span)

    def idle(self, span: Span) -> Any:
        return syntax.Idle(span=span)

    # the end, and what must hold

    def score(self, span: Span, value: Any) -> Any:
        return syntax.Score(value, span=span)

    def winner(self, span: Span, ranks: Any) -> Any:
        return syntax.Winner(ranks, span=span)

    def ranks(self, span: Span, *ranks: Any) -> Any:
        return ranks

    def rank(self, span: Span, word: Token, value: Any) -> Any:
        return syntax.Rank(word.type == "HIGHEST", value, span=span)

    def invariant(self, span: Span, name: Token, *rest: Any) -> Any:
        moment = rest[0] if len(rest) == 2 else syntax.Always(span=span)
        return syntax.Invariant(self._text(name), moment, rest[-1], span=span)

    def only(self, span: Span, value: Any, _: Token, word: Token) -> Any:
        return syntax.Only(value, word.type == "INCREASES", span=span)

    def leads_to(self, span: Span, first: Any, second: Any, within: Any) -> Any:
        return syntax.LeadsTo(first, second, within, span=span)

    def within(self, span: Span, count: Any, of: Token) -> Any:
        return syntax.Within(count, self._name(of), span=span)

    def possible(self, span: Span, name: Token, *rest: Any) -> Any:
        moment = rest[0] if len(rest) == 3 else syntax.Always(span=span)
        return syntax.Possible(self._text(name), moment, *rest[-2:], span=span)

    def ends(self, span: Span, how: Any) -> Any:
        return syntax.Ends(how, span=span)

    def surely(self, span: Span) -> Any:
        return "surely"

    def almost_surely(self, span: Span) -> Any:
        return "almost surely"

    def secret(self, span: Span, name: Token, until: Any, items: Any) -> Any:
        return syntax.Secret(self._text(name), until, items, span=span)

    def unchecked(self, span: Span, name: Token, reason: Token) -> Any:
        return syntax.Unchecked(self._text(name), self._text(reason), span=span)

    def bounds(self, span: Span, bounds: Any) -> Any:
        return syntax.Bounds(bounds, span=span)

    def measure(self, span: Span, name: Token, moment: Any, value: Any) -> Any:
        return syntax.Measure(self._text(name), moment, value, span=span)

    def always(self, span: Span) -> Any:
        return syntax.Always(span=span)

    def never(self, span: Span) -> Any:
        return syntax.Never(span=span)

    def after(self, span: Span, name: Token) -> Any:
        return syntax.After(self._name(name), span=span)

    def at_end(self, span: Span) -> Any:
        return syntax.AtEnd(span=span)

    def strategy(self, span: Span, name: Token, *lines: Any) -> Any:
        return syntax.Strategy(self._name(name), lines, span=span)

    def policy_line(self, span: Span, name: Token, policy: Any) -> Any:
        return syntax.PolicyLine(self._name(name), policy, span=span)

    def policy_if(self, span: Span, then: Any, condition: Any, otherwise: Any) -> Any:
        return syntax.PolicyIf(then, condition, otherwise, span=span)

    def best(self, span: Span, value: Any) -> Any:
        return syntax.Best(value, span=span)

    def at_random(self, span: Span) -> Any:
        return syntax.AtRandom(span=span)

    def first_option(self, span: Span) -> Any:
        return syntax.FirstOption(span=span)

    def policy_value(self, span: Span, value: Any) -> Any:
        return syntax.PolicyValue(value, span=span)

    def example(self, span: Span, name: Token, *lines: Any) -> Any:
        return syntax.Example(self._text(name), lines, span=span)

    def example_players(self, span: Span, count: Token) -> Any:
        return syntax.ExamplePlayers(int(count), span=span)

    def example_set(self, span: Span, option: Token, value: Any) -> Any:
        return syntax.ExampleSet(self._name(option), value, span=span)

    def given(self, span: Span, body: Any) -> Any:
        return syntax.Given(body, span=span)

    def play_part(self, span: Span, name: Any, arguments: Any, player: Any, *script: Any) -> Any:
        return syntax.PlayPart(name, arguments or (), player, script, span=span)

    def part_name(self, span: Span, word: Token) -> Any:
        return self._name(word)

    def script_line(self, span: Span, name: Token, *items: Any) -> Any:
        return syntax.ScriptLine(self._name(name), items, span=span)

    def script_item(self, span: Span, *tokens: Token) -> Any:
        return " ".join(str(t) for t in tokens).replace("- ", "-")

    def then(self, span: Span, condition: Any) -> Any:
        return syntax.Then(condition, span=span)

    def focus(self, span: Span, name: Token, *lines: Any) -> Any:
        return syntax.Focus(self._text(name), tuple(_given(lines)), span=span)

    def value(self, span: Span, value: Any) -> Any:
        return syntax.Value(value, span=span)

    def claim(self, span: Span, name: Token, strategy: Any, figure: Token, of: Any, low: Any, high: Any) -> Any:
        return syntax.Claim(self._text(name), strategy, self._name(figure), of, low, high, span=span)

    def with_strategy(self, span: Span, _: Token, name: Token) -> Any:
        return self._name(name)

    def claim_of(self, span: Span, value: Token) -> Any:
        return int(value) if value.type == "NUMBER" else str(value).strip('"')

    def decimal(self, span: Span, minus: Token | None, number: Token) -> Any:
        return ("-" if minus else "") + str(number)

    # what a variant changes

    def remove(self, span: Span, *tokens: Token) -> Any:
        kind, name = tokens[-2:]
        return syntax.Remove(str(kind), self._text(name) if name.type == "STRING" else self._name(name), span=span)

    def replace(self, span: Span, by: Any) -> Any:
        return syntax.Replace(by, span=span)

    def before_phase(self, span: Span, phase: Token, body: Any) -> Any:
        return syntax.Insert("before", self._name(phase), body, span=span)

    def after_phase(self, span: Span, phase: Token, body: Any) -> Any:
        return syntax.Insert("after", self._name(phase), body, span=span)

    def start_of_phase(self, span: Span, phase: Token, body: Any) -> Any:
        return syntax.Insert("start of", self._name(phase), body, span=span)

    def end_of_phase(self, span: Span, phase: Token, body: Any) -> Any:
        return syntax.Insert("end of", self._name(phase), body, span=span)

    # expressions

    def filtered(self, span: Span, source: Any, condition: Any) -> Any:
        return syntax.Filtered(source, condition, span=span)

    def conditional(self, span: Span, then: Any, condition: Any, otherwise: Any) -> Any:
        return syntax.Conditional(then, condition, otherwise, span=span)

    def either(self, span: Span, *terms: Any) -> Any:
        return syntax.Either(terms, span=span)

    def both(self, span: Span, *terms: Any) -> Any:
        return syntax.Both(terms, span=span)

    def not_(self, span: Span, value: Any) -> Any:
        return syntax.Not(value, span=span)

    def compare(self, span: Span, left: Any, operator: str, right: Any) -> Any:
        return syntax.Binary(operator, left, right, span=span)

    def is_empty(self, span: Span, value: Any, is_: Token, not_: Token | None, empty: Token) -> Any:
        return syntax.IsEmpty(value, not_ is None, span=span)

    def span_(self, span: Span, low: Any, high: Any) -> Any:
        return syntax.Binary("..", low, high, span=span)

    def negate(self, span: Span, value: Any) -> Any:
        return syntax.Negative(value, span=span)

    def attribute(self, span: Span, of: Any, name: Token) -> Any:
        return syntax.Attribute(of, self._name(name), span=span)

    def element(self, span: Span, of: Any, *indexes: Any) -> Any:
        return syntax.Element(of, indexes, span=span)

    def call(self, span: Span, name: Token, *arguments: Any) -> Any:
        return syntax.Call(self._name(name), tuple(_given(arguments)), span=span)

    def defaulted(self, span: Span, value: Any, default: Any) -> Any:
        return syntax.Defaulted(value, default, span=span)

    def mapped(self, span: Span, value: Any, bind: Token, source: Any) -> Any:
        return syntax.Mapped(value, self._name(bind), source, span=span)

    def keyed(self, span: Span, source: Any, key: Any) -> Any:
        return syntax.Keyed(source, key, span=span)

    def name(self, span: Span, token: Token) -> Any:
        return self._name(token)

    def number(self, span: Span, token: Token) -> Any:
        return syntax.Number(int(token), span=span)

    def yes(self, span: Span) -> Any:
        return syntax.Truth(True, span=span)

    def no(self, span: Span) -> Any:
        return syntax.Truth(False, span=span)

    def none(self, span: Span) -> Any:
        return syntax.Nothing(span=span)


def _operator(name: str) -> Callable[..., Any]:
    def build(self: _Build, span: Span, *children: Any) -> Any:
        return syntax.Binary(name, *children, span=span) if children else name

    return build


for _rule, _sign in {
    "equal": "is", "unequal": "is not", "less": "<", "at_most": "<=", "more": ">", "at_least": ">=", "in_": "in",
    "not_in": "not in", "has": "has", "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "divide_up": "/up",
    "modulo": "mod",
}.items():  # fmt: skip
    setattr(_Build, _rule, _operator(_sign))
