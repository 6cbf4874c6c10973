"""What was probably meant where a text cannot be read: signs and words of other notations, and common slips."""

import re
from collections.abc import Callable
from functools import cached_property

import attrs

from . import words
from .grammar import Stuck
from .lines import Line
from .problems import near

LONGEST_WORD = 40


@attrs.frozen(slots=False)
class Here:
    """The place where reading got stuck: its line, the lines that are one with it, and the place they stand in."""

    text: str
    line: Line
    group: tuple[Line, ...]
    place: str
    stuck: Stuck

    @property
    def kind(self) -> str:
        """The kind of token that may not stand here."""
        return self.stuck.kind

    @property
    def allowed(self) -> frozenset[str]:
        """The kinds of tokens that could stand here."""
        return self.stuck.allowed

    @cached_property
    def word(self) -> str:
        """The word or sign that may not stand here; nothing at the end of a line."""
        match = re.compile(r'\w+|"[^"\n]*"|\S').match(self.text, self.stuck.offset)
        return match.group() if match and self.kind not in ("_NL", "$END") else ""

    @cached_property
    def before(self) -> str:
        """The code before it, from the beginning of the statement."""
        passed = [line.code[: max(0, self.stuck.offset - line.start)] for line in self.group]
        return "\n".join(passed)[self.group[0].indent :].rstrip("\n")

    @cached_property
    def after(self) -> str:
        """The rest of the line from it on, without a comment."""
        code = self.line.code
        return self.text[self.stuck.offset : self.line.start + len(code)]

    @property
    def first(self) -> str:
        """The word the statement begins with."""
        return self.group[0].first

    @cached_property
    def previous(self) -> str:
        """The word right before it, or nothing."""
        match = re.search(r"(\w+)\s*$", self.before)
        return match.group(1) if match else ""

    @property
    def begins(self) -> frozenset[str]:
        """The words a line may begin with here."""
        return words.beginnings(self.place)

    @property
    def is_first(self) -> bool:
        """Whether it is the first word of its statement."""
        return not self.before.strip()

    @property
    def is_all(self) -> bool:
        """Whether the statement is but one word."""
        return not self.word and self.is_second

    @property
    def is_second(self) -> bool:
        """Whether it comes right after the first word of its statement."""
        return self.before.strip() == self.first != ""


# ---- signs -----------------------------------------------------------------------------------------------

SIGNS = {
    "===": "Write `is` to compare, `=` to set.",
    "!==": "Write `is not`.",
    "==": "Write `is` to compare, `=` to set.",
    "!=": "Write `is not`.",
    "<>": "Write `is not`.",
    "/=": "Write `is not` to compare; to divide, write `x = x / 2`.",
    "*=": "Write `x = x * 2`.",
    "%=": "Write `x = x mod 2`.",
    "=>": "Write `>=`.",
    "=<": "Write `<=`.",
    ":=": "Write `=`.",
    "=+": "Write `+=`.",
    "?": "Write `b if a else c`.",
    "->": "Write `:` before what is done, `to` before where something goes.",
    "<-": "Write `=` to set.",
    "++": "Write `+= 1`.",
    "--": "Write `-= 1` to count down; a comment begins with `#`.",
    "&&": "Write `and`.",
    "||": "Write `or`.",
    "**": "There are no powers; multiply instead.",
    "//": "A comment begins with `#`; to divide, write `/`.",
    "/*": "A comment begins with `#`.",
    "...": "Write a range with two dots: `1..6`.",
    "&": "Write `and`.",
    "!": "Write `not`.",
    "%": "Write `mod` for what is left over, and shares without `%`.",
    "^": "There are no powers; multiply instead.",
    ";": "A statement ends with its line; leave out `;`.",
    "{": "What belongs together is indented under a line that ends with `:`, without braces.",
    "}": "What belongs together is indented under a line that ends with `:`, without braces.",
    "'": 'Texts stand in straight double quotes: "text". Nothing else has quotes or apostrophes.',
    "`": 'Texts stand in straight double quotes: "text". Nothing else has quotes.',
    "\\": "A line goes on by itself inside brackets; leave out the stroke.",
    "@": "Names are made of letters, digits and `_`.",
    "$": "Names are made of letters, digits and `_`.",
    "~": "Write `not`.",
    "≤": "Write `<=`.",
    "≥": "Write `>=`.",
    "≠": "Write `is not`.",
    "×": "Write `*`.",
    "·": "Write `*`.",
    "÷": "Write `/`.",
    "…": "Write two dots: `..`.",
    "→": "Write `:` before what is done, `to` before where something goes.",
    "∈": "Write `in`.",
    "\u00a0": "This space is not a usual one; type it anew.",
}
SIGNS |= dict.fromkeys("–—−", "Write the minus sign of the keyboard, `-`, or `..` for a range.")
SIGNS |= dict.fromkeys("“”„«»‘’‚", 'Texts stand in straight double quotes: "text".')


def sign_at(text: str, offset: int) -> tuple[str, int] | None:
    """A sign of other notations that covers an offset, and where it begins."""
    for sign in sorted(SIGNS, key=len, reverse=True):
        for start in range(offset, max(-1, offset - len(sign)), -1):
            if text.startswith(sign, start):
                return sign, start
    return None


# ---- words -----------------------------------------------------------------------------------------------

_FOR_WORDS: dict[str, str] = {}
for _words, _hint in {
    "elif elsif elseif": "Write `else if`.",
    "while until loop": "Write `repeat until …:` with the condition that ends it.",
    "foreach": "Write `for card in hand:`.",
    "return yield": "An action gives nothing back; what is worked out from other values is a `define`.",
    "switch case": "Write `match value:`, and below it a line for each value: `1, 2: …`.",
    "default otherwise": "Write `else:`.",
    "unless": "Write `if not …:`.",
    "function func fn def method procedure sub proc rule": "Write `action` for something to do, `define` for a value.",
    "const": "Write `constant`.",
    "enum": "Write `type`.",
    "int integer bool boolean number string variable global declare dim": "Write `var points: 0..100 = 0`.",
    "set": "Write `points = 3`, without `set`.",
    "roll rolls toss": "Write `throw`.",
    "deal take": "Write `draw 3 from deck to hand`.",
    "put discard give send": "Write `move … to …`.",
    "flip": "Write `turn … to …`.",
    "ask select pick_one": "Write `choose one from hand as card`.",
    "pass skip continue": "Write `end` with the name of the phase whose pass is over, or leave the branch out.",
    "exit quit stop": "Write `end game`, or `leave` with the name of a phase.",
    "run call perform execute": "Write `do` with the name of the action.",
    "add increase": "Write `points += 3`.",
    "subtract decrease": "Write `points -= 3`.",
    "deck cards dice tokens board piece": "Write `components` for a kind of thing, `zone` for a place where it lies.",
    "goal win wins victory": "Write `winner: highest score`.",
    "import include": "Write `use` with the name of a file of pieces.",
    "never always": "Write `invariant \"…\" never: …` or `always: …`.",
    "eventually": "Write `possible \"…\": …`, or an `invariant` with `… leads to …`.",
    "assert": "Write `invariant \"…\" always: …` for what must hold.",
    "test": "Write `example \"…\":` and below it what happens.",
    "print say show": "Nothing is printed; everybody sees what is not hidden.",
}.items():  # fmt: skip
    _FOR_WORDS |= dict.fromkeys(_words.split(), _hint)
"""What to write instead of a first word of other notations."""

_INSIDE = {
    "then": "Write `:` instead of `then`.",
    "do": "Write `:` instead of `do`.",
    "equal": "Write `is`.",
    "equals": "Write `is`.",
    "isnt": "Write `is not`.",
    "greater": "Write `>`.",
    "more": "Write `>`.",
    "larger": "Write `>`.",
    "bigger": "Write `>`.",
    "higher": "Write `>`.",
    "less": "Write `<`.",
    "fewer": "Write `<`.",
    "smaller": "Write `<`.",
    "lower": "Write `<`.",
    "between": "Write `x in 1..3`.",
    "contains": "Write `has`.",
    "includes": "Write `has`.",
    "into": "Write `to`.",
    "onto": "Write `to`, and `top of` for the top of a pile.",
    "the": "Leave out `the`.",
    "all": "Leave out `all`: a zone's name means everything in it.",
    "for each": "Leave out `each`: `for p in players:`.",
    "while": "Write `until` with the condition that ends it.",
    "empty": "Write `is empty`.",
    "random": "Write `draw 3 from bag as drawn`: what is drawn is drawn at random.",
    "div": "Write `/`.",
    "modulo": "Write `mod`.",
    "xor": "Write `is not`.",
    "than": "Write a sign: `<`, `<=`, `>` or `>=`.",
}
"""What to write instead of words inside a line, where they may not stand or come right before what may not."""


# ---- slips -----------------------------------------------------------------------------------------------

_NAMING = frozenset({
    "var", "zone", "option", "constant", "components", "sheet", "define", "action", "phase", "type", "has", "faces",
    "strategy", "let", "label", "choose",
})  # fmt: skip
_MISSING = {
    ("choose", "AS"): "Give what is chosen a name: `choose one from hand as card`.",
    ("may", "AS"): "Give what is chosen a name: `may choose one from hand as card:`.",
    ("all", "AS"): "Give what is chosen a name: `all players choose one from hand as card`.",
    ("pick", "AS"): "Give what is picked a name: `pick one from colours as colour`.",
    ("var", "ASSIGN"): "Say what it is at the beginning: `var points: 0..100 = 0`.",
    ("option", "ASSIGN"): "Say what it is unless somebody sets it: `option rounds: 1..9 = 4`.",
    ("choose", "FROM"): "Say only how many, and from where: `choose one from hand as card`.",
    ("draw", "FROM"): "Say only how many, and from where: `draw 3 from bag`.",
    ("repeat", "TIMES_WORD"): "Write `repeat 3 times:` or `repeat until …:`.",
    ("phase", "TIMES_WORD"): "Write `repeat 3 times` or `repeat until …`.",
    ("winner", "THEN"): "Further ranks begin with `then`: `highest score, then lowest minus`.",
    ("for", "IN"): "Write `for card in hand:`.",
    ("variant", "OF"): 'Name the game it changes: `variant "Title" of name`.',
    ("variant", "PATH"): 'Name the game it changes by its file, without the suffix: `variant "Title" of name`.',
    ("use", "PATH"): "Name a file without quotes and without its suffix.",
    ("define", "COLON"): "Each value in brackets has a type: `define worth(card: cards) = …`.",
    ("action", "COLON"): "A block begins after `:`; each value in brackets has a type: `action play(card: cards):`.",
    ("measure", "AFTER"): 'Say when it is taken: `measure "…" after turn: …` or `at end`.',
    ("unchecked", "BECAUSE"): 'Say why nobody needs to look: `unchecked "…" because "…"`.',
    ("ends", "SURELY"): "Write `ends surely`, `ends almost surely` or `ends within 40 turns`.",
    ("ends", "NAME"): "Say what is counted: `ends within 40 turns`, `ends within 90 decisions`.",
    ("secret", "UNTIL"): 'Say from which phase on it may be seen: `secret "…" until showdown: hand`.',
    ("possible", "THEN"): "Write `then` between what comes first and what comes later.",
    ("invariant", "NEVER"): 'Say when it must hold: `invariant "…" never: …`, `after turn: …` or `at end: …`.',
    ("given", "DO"): "A position is described before the part is played: `given` stands above `do`.",
    ("value", "DO"): "What is made as high as possible stands below the `do`.",
    ("invariant", "ONLY"): "Say a condition, `… only increases`, `… only decreases` or `… leads to …`.",
    ("claim", "IN"): "Say between which bounds it lies: `in 0.45..0.55`.",
    ("type", "COMMA"): "A type has at least two members: `type half = left, right`.",
    ("bounds", "SCORE"): "Write `bounds score: 0..42`.",
    ("remove", "PHASE"): "Say what kind of thing it is: `remove phase raid`.",
    ("replace", "PHASE"): "Say what kind of thing it is: `replace phase raid:`.",
    ("before", "PHASE"): "Write `before phase raid:`.",
    ("after", "PHASE"): "Write `after phase raid:`.",
    ("start", "OF"): "Write `start of phase raid:`.",
    ("end", "OF"): "Write `end of phase raid:`.",
    ("start", "PHASE"): "Write `start of phase raid:`.",
    ("end", "PHASE"): "Write `end of phase raid:`.",
    ("each", "HAS"): "Write `each player has:`.",
    ("faces", "RANGE"): "Name the faces with commas between them: `faces side: up, down`.",
    ("", "OF"): "Write `2 of each`.",
    ("move", "TO"): "Say what moves, and where to: `move hand to bag`, `move hand where side is up to bag`.",
    ("pay", "FROM"): "Write `pay 3 from coins to pot`.",
}
"""What to write where one kind of token is missing in a line that begins with some word."""
_MISSING |= {
    (word, "ASSIGN"): "Sections begin at the left edge of the line."
    for word in ("ends", "focus", "possible", "secret", "unchecked")
}
_MISSING |= {
    ("replace", kind): hint for (first, kind), hint in _MISSING.items() if first in ("define", "var", "action")
}


def _capital(here: Here) -> str | None:
    small = here.word.lower()
    return f"Write `{small}` in small letters." if here.word != small in words.keywords(here.allowed) else None


def _set_or_compare(here: Here) -> str | None:
    if re.fullmatch(r"\w+(-\w+)+\s*", here.before):
        return "A name is one word; write `_` instead of `-`."
    if here.kind == "ASSIGN" and re.search(r"[<>]\s+$", here.before):
        return f"Write `{here.before.rstrip()[-1]}=` without a space."
    if here.kind == "ASSIGN" and "IS" in here.allowed:
        return "`=` sets a value; write `is` to compare."
    if here.kind in words.COMPARISONS and {"ASSIGN", "ADD_ASSIGN"} <= here.allowed:
        return "A statement that begins with a name sets it: `points = 3`."
    return None


def _two_comparisons(here: Here) -> str | None:
    if match := re.search(r"\bis\s+(not\s+)?(in|has)?\s*$", here.before):
        negated, word = "not " if match.group(1) else "", match.group(2) or here.word
        if match.group(2) or here.kind in words.COMPARISONS:
            return f"Write `{negated}{word}`, without `is`."
    if here.kind in words.COMPARISONS and "AND" in here.allowed and not here.allowed & words.COMPARISONS:
        return "Compare two values at a time: `a < b and b < c`."
    return None


def _range(here: Here) -> str | None:
    if "RANGE" in here.allowed and here.word in ("to", "-", "through", "up") and re.search(r"[\w)\]]\s*$", here.before):
        return "Write a range with two dots: `2..4`."
    if here.allowed <= words.GOES_ON and re.search(r"[0-9]\s*-\s*[0-9]+\s*$", here.before):
        return "Write a range with two dots: `2..4`."
    return None


def _digits(here: Here) -> str | None:
    if re.fullmatch(r"[0-9_]*_[0-9_]*", here.word):
        return f"Write a number in one: `{here.word.replace('_', '')}`."
    if here.word.isdigit() and re.search(r"[0-9]\.$", here.before):
        return "Numbers are whole; only what a claim lies between may have a point in it."
    if here.word == "x" and "TIMES" in here.allowed:
        return "Write `x3` without a space."
    if re.match(r"[0-9]+[^\W\d]", here.word):
        return "A name begins with a letter; between a number and a word stands a space."
    return None


def _one_word(here: Here) -> str | None:
    said = here.before.replace("replace ", "", 1).split()
    joined = re.search(r"\w$", here.before) and re.match(r"-\w", here.after)
    if joined and (here.is_second or said[0] in _NAMING):
        return "A name is one word; write `_` instead of `-`."
    if len(said) == 2 and said[0] in _NAMING and said[1].isidentifier() and here.word.isidentifier():
        return f"A name is one word: `{said[1]}_{here.word}`."
    if here.kind == "STRING" and "NAME" in here.allowed:
        return "Names stand without quotes."
    return None


def _no_brackets(here: Here) -> str | None:
    if here.kind == "RPAR" and here.before.rstrip().endswith("("):
        return "Leave out the empty brackets."
    if re.match(r"\(\s*\)", here.after):
        return "Leave out the empty brackets."
    return None


def _quotes(here: Here) -> str | None:
    if here.allowed == {"STRING"} and here.after:
        text = here.after.rstrip(":")
        if here.first in ("measure", "invariant", "possible", "secret", "claim"):
            text = re.split(r"\s+(?:after|always|never|at\s+end|until|with)\b|\s*:", text)[0]
        return f'Put the text in quotes: "{clipped(text)}".'
    return None


def _word_of_the_language(here: Here) -> str | None:
    sets = here.kind in ("ASSIGN", "ADD_ASSIGN", "SUBTRACT_ASSIGN") and here.place == "statements"
    if sets and here.is_second and here.first in words.reserved():
        return f"`{here.first}` is a word of the language; call it something else."
    return None


def _no_colon(here: Here) -> str | None:
    return "Leave out `:`." if here.word == ":" and here.is_second and here.first in ("then", "label", "set") else None


def _own_line(here: Here) -> str | None:
    match = re.search(r":\s*(if|for|match|repeat|phase|may)\s*$", here.before)
    if match and "ADD_ASSIGN" in here.allowed:
        return f"What begins with `{match.group(1)}` needs a line of its own, indented under this one."
    return None


def _condition_first(here: Here) -> str | None:
    if here.previous == "if" and not here.is_second:
        return "Write the value first: `x = 3 if a else 4`."
    return None


def _how_many(here: Here) -> str | None:
    without = here.previous == "from" and re.search(r"\b(choose|draw|pick)\s+from\s*$", here.before)
    if without or {"ONE", "ANY", "UP"} <= here.allowed:
        return "Say how many: `one`, `any`, `up to 3`, `2` or `1..`."
    return None


def _label(here: Here) -> str | None:
    if here.place == "labels" and here.first == "case":
        return "Leave out `case`: `1, 2: …`."
    return None


def _an_action(here: Here) -> str | None:
    if here.place == "statements" and not here.word and {"ASSIGN", "ADD_ASSIGN"} <= here.allowed:
        call = re.fullmatch(r"(\w+)(\(.*)?", here.before)
        return f"To run an action, write `do {clipped(here.before.strip())}`." if call else None
    return None


def _missing(here: Here) -> str | None:
    open_ = here.allowed - words.GOES_ON or here.allowed
    return next((_MISSING[here.first, kind] for kind in sorted(open_) if (here.first, kind) in _MISSING), None)


def _moment(here: Here) -> str | None:
    if re.search(r"\bafter\s+(each|every)\s*$", here.before) and here.word.isidentifier():
        return f"Leave out `{here.previous}`: `after {clipped(here.word)}` means whenever a pass of it ends."
    match = re.match(r"(?:each|every)\s+(\w+)", here.after)
    if match and here.first == "after" and here.place == "sections":
        return f"Write `after phase {clipped(match.group(1))}:`; it is done each time."
    return None


_MOST = "highest most largest biggest greatest best"
_LEAST = "lowest fewest least smallest worst cheapest"


def _winner(here: Here) -> str | None:
    if here.first != "winner" or not re.fullmatch(r"winner:\s*\w+\s*", here.before):
        return None
    match = re.search(rf"\b({'|'.join([*_MOST.split(), *_LEAST.split()])})\s+(\w+)", here.before + here.after)
    if not match:
        return "Write `winner: highest score`."
    rank = "highest" if match.group(1) in _MOST.split() else "lowest"
    return f"Write `winner: {rank} {clipped(match.group(2))}`."


def _colon_after_name(here: Here) -> str | None:
    match = re.fullmatch(r"(?:replace\s+)?(var|option)\s+(\w+)\s*=\s*(.*?)\s*", here.before)
    if match and here.kind == "ASSIGN":
        first, name, values = match.groups()
        return f"After the name comes `:`, as in `{first} {name}: {clipped(f'{values} {here.after}')}`."
    return None


def _numbers_one_by_one(here: Here) -> str | None:
    match = re.fullmatch(r"has\s+(\w+):\s*[0-9]+\s*", here.before)
    if not match or here.word != ",":
        return None
    given = [int(number) for number in re.findall(r"[0-9]+", here.before.partition(":")[2] + here.after)]
    if given == list(range(given[0], given[-1] + 1)):
        return f"Write a range with two dots: `has {match.group(1)}: {given[0]}..{given[-1]}`."
    return "Numbers are a range, such as `1..6`; other ones stand in a `table:`, one row for each item."


def _unnamed(here: Here) -> str | None:
    if here.place != "components" or not here.is_second or "NAME" not in here.allowed:
        return None
    rest = here.after.lstrip(": ")
    if here.first == "faces":
        return f"Give the faces a name: `faces {'pips' if rest[:1].isdigit() else 'side'}: {clipped(rest)}`."
    return f"Give the field a name: `has value: {clipped(rest)}`." if here.first == "has" else None


def _traits_last(here: Here) -> str | None:
    early = re.search(r":\s*(?:(?:hidden|private|stacked|conserved)\s*)+$", here.before)
    between = here.word in ("hidden", "private", "stacked", "conserved") and "COLON" in here.allowed
    if here.first in ("zone", "var") and (early or between):
        trait = here.word if between else here.previous
        return f"Traits such as `{trait}` stand at the end of the line."
    return None


def _policy(here: Here) -> str | None:
    """How a line of a strategy says what another notation says with `lowest` or with `if` in front."""
    if here.place != "policies":
        return None
    said = here.before + here.after
    if match := re.fullmatch(r"(?:(\w+):\s*)?if\s+(.+?)(?::|\s+then\b)\s*(.+?)\s*(?:\belse\b:?\s*(.+))?", said):
        name, condition, policy, other = match.groups()
        line = f"{name or 'NAME'}: {policy} if {condition} else {other or 'first'}"
        return f"Write `{line}`." if name else f"Write `{line}`, with the name of the decision."
    if match := re.fullmatch(rf"\w+:\s*({'|'.join([*_MOST.split(), *_LEAST.split()])})\s*", here.before):
        number = here.after.strip()
        if match.group(1) in _LEAST.split():
            number = f"-{number}" if re.fullmatch(r"[\w.]+", number) else f"-({number})"
        return f"Write `best {clipped(number)}`."
    if not here.word and here.before.rstrip().endswith(":"):
        return "Say on the same line what is taken: `way: left if points > 3 else right`."
    return None


def _otherwise(here: Here) -> str | None:
    if "ELSE" in here.allowed and not here.is_second and here.first != "if" and here.word in ("", ":"):
        return "Say what it is otherwise: `2 if a else 3`."
    return None


def _lines_below(here: Here) -> str | None:
    if here.allowed <= {"_NL"} and here.before.rstrip().endswith(":"):
        return "What belongs to it stands below, each on an indented line of its own."
    return None


def _word_inside(here: Here) -> str | None:
    if here.is_first or here.is_all:
        return None
    told = (here.word, f"{here.first} {here.previous}", here.previous if here.previous != here.first else "")
    return next((_INSIDE[word] for word in told if word in _INSIDE), None)


def _misspelt(here: Here) -> str | None:
    known = words.keywords(here.allowed)
    return near(here.word, known) if here.word.isalpha() and len(here.word) <= LONGEST_WORD else None


def first_word(here: Here) -> str | None:
    """What the first word of a line should be."""
    word, known = here.first, here.begins | ({"else"} if here.place == "statements" else set())
    if not (here.is_first or here.is_second) or not here.begins or word in here.begins or len(word) > LONGEST_WORD:
        return None
    if word.lower() in known:
        return f"Write `{word.lower()}` in small letters."
    foreign = _FOR_WORDS.get(word.lower()) if here.place in ("statements", "sections") else None
    if here.is_all:  # it may be the name of an action as well
        known = frozenset(other for other in known if other[0] == word[0] and len(word) > 3)
    return foreign or near(word, known)


def is_foreign(here: Here) -> bool:
    """Whether the line begins with a word of other notations."""
    return here.place in ("statements", "sections") and here.first.lower() in _FOR_WORDS


_SLIPS: tuple[Callable[[Here], str | None], ...] = (
    first_word, _capital, _moment, _winner, _colon_after_name, _policy, _set_or_compare, _two_comparisons, _range,
    _digits, _no_brackets, _quotes, _word_of_the_language, _no_colon, _own_line, _an_action, _condition_first,
    _how_many, _label, _numbers_one_by_one, _unnamed, _traits_last, _otherwise, _lines_below, _word_inside, _misspelt,
    _one_word, _missing,
)  # fmt: skip
"""What may have been meant, the surest first."""


def hint(here: Here) -> str | None:
    """One thing to do about it, where one is known."""
    return next((found for slip in _SLIPS if (found := slip(here))), None)


def clipped(text: str) -> str:
    """A text short enough for a sentence."""
    return text if len(text) <= LONGEST_WORD else text[: LONGEST_WORD - 1] + "…"
