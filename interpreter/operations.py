"""Numbers, tests and definitions as closures."""

from typing import TYPE_CHECKING, Any, assert_never

from ..dsl import rules
from .closures import Read, called, compared, compared_to, dividing, within_64_bits

if TYPE_CHECKING:
    from .expressions import Expressions


def arithmetic(made: "Expressions", expr: rules.Arithmetic) -> Read:
    """Two numbers; with a fault beyond 64 bits where no check could rule it out."""
    operation = _operation(made, expr)
    return within_64_bits(operation, expr.span) if expr.unsafe else operation


def _operation(made: "Expressions", expr: rules.Arithmetic) -> Read:
    """The operation itself."""
    left, right = made.sure(expr.left), made.sure(expr.right)
    fixed = made.fold(expr.right)
    number: Any = fixed.value if isinstance(fixed, rules.Constant) else None
    match expr.operator:
        case "+":
            return (lambda m: left(m) + right(m)) if number is None else (lambda m: left(m) + number)
        case "-":
            return (lambda m: left(m) - right(m)) if number is None else (lambda m: left(m) - number)
        case "*":
            return (lambda m: left(m) * right(m)) if number is None else (lambda m: left(m) * number)
        case "/":
            return dividing(lambda a, b: a // b, left, right, expr.span)
        case "/up":
            return dividing(lambda a, b: -(-a // b), left, right, expr.span)
        case "mod":
            return dividing(lambda a, b: a % b, left, right, expr.span)
        case _:
            assert_never(expr.operator)


def compare(made: "Expressions", expr: rules.Compare) -> Read:
    """Whether two values compare so; sets by their elements."""
    if isinstance(expr.left.type, rules.Many):
        one, other = made.read(expr.left), made.read(expr.right)
        same = expr.operator == "is"
        return lambda m: (set(one(m)) == set(other(m))) is same
    loose = expr.operator in ("is", "is not")
    left = made.read(expr.left) if loose else made.sure(expr.left)
    fixed = made.fold(expr.right)
    if isinstance(fixed, rules.Constant) and (loose or fixed.value is not None):
        return compared_to(expr.operator, left, fixed.value)
    right = made.read(expr.right) if loose else made.sure(expr.right)
    return compared(expr.operator, left, right)


def conditional(made: "Expressions", expr: rules.Conditional) -> Read:
    """One value or another."""
    test, then, otherwise = made.read(expr.condition), made.read(expr.then), made.read(expr.otherwise)
    return lambda m: then(m) if test(m) else otherwise(m)


def call(made: "Expressions", expr: rules.Call) -> Read:
    """A definition's value for its arguments."""
    rule = made._definitions[expr.definition]
    if expr.definition not in made._bodies:
        made._bodies[expr.definition] = made.read(rule.value)
    body = made._bodies[expr.definition]
    if not rule.parameters:
        return body
    slots = [made.slot(parameter) for parameter in rule.parameters]
    arguments = [made.read(argument) for argument in expr.arguments]
    return called(body, slots, arguments)
