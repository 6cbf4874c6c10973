"""Even random numbers from a seed and the number of a game, the same on every machine and in every engine.

All arithmetic is on unsigned 64-bit numbers and wraps around. With

    GAMMA    = 0x9E3779B97F4A7C15
    mix(z)   : z ^= z >> 30;  z *= 0xBF58476D1CE4E5B9;  z ^= z >> 27;  z *= 0x94D049BB133111EB;  z ^= z >> 31

a stream starts at `position = mix(mix(seed + GAMMA) + (game + 1) * GAMMA)`. Every draw adds GAMMA to the position and
takes `word = mix(position)` of the new one (splitmix64). `below(limit)` is `((word >> 32) * limit) >> 32` for limits up
to 2**32 and `(word * limit) >> 64`, of the whole product, above. One call is one draw, whatever the limit: 1 also takes
one.

A number is favoured by at most limit / 2**32 of its chance: less than 2**-29 for a die.
"""

_WORD = 2**64 - 1
_GAMMA = 0x9E3779B97F4A7C15
_HALF = 2**32


def mix(z: int) -> int:
    """The finalizer of splitmix64: a 64-bit word with every bit of `z` spread over it."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


class Stream:
    """The random numbers of one game of a batch; no two games share a stretch in practice."""

    __slots__ = ("_position",)

    def __init__(self, seed: int, game: int = 0) -> None:
        self._position = mix((mix((seed + _GAMMA) & _WORD) + (game + 1) * _GAMMA) & _WORD)

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1, each as likely as the others."""
        # `mix` written out: a call would cost a third of the time of a draw.
        z = self._position = (self._position + _GAMMA) & _WORD
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        if limit <= _HALF:
            return ((z ^ (z >> 31)) >> 32) * limit >> 32
        return (z ^ (z >> 31)) * limit >> 64
