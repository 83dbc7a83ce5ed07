"""Players by their spec: ``ismcts:movetime=50,exploration=1.0``, ``pimc:nodes=2000``, ``rules``.

Before the colon the bot, after it any options of ``trickbot.ai.options`` and ``nodes``, its limit of
iterations for a move.
"""

from typing import Any

from trickbot.ai.options import Options, find_option
from trickbot.ai.searcher import METHODS, Limits, Report, Searcher, at_once
from trickbot.engine.errors import OptionError, quoted


class Bot:
    """A player for one seat or all. ``label`` is its spec, ``name`` the part before the colon."""

    def __init__(self, label: str, options: Options, limits: Limits) -> None:
        self.label = label
        self.name: str = options.bot
        self.options = options
        self.limits = limits

    def choose(self, deal: Any, limits: Limits | None = None, seed: int = 0) -> Report:
        """The next decision of the seat to move, whose hand must be known.

        limits: other than the spec's. seed: of its random choices, 0: from the system or the spec. Raises
        ``PositionError`` when nobody is to move or the hand is unknown.
        """
        if self.name not in METHODS:
            return Report(at_once(deal, self.name, seed or self.options.seed))
        options = self.options.copy()
        if seed:
            options.set("Seed", seed)
        return Searcher(deal, options).run(self.limits if limits is None else limits)

    def __repr__(self) -> str:
        return f"make_bot({self.label!r}, {self.options.game!r})"


def make_bot(spec: str, game: str) -> Bot:
    """The bot of a spec. Raises ``OptionError`` naming the word and what was possible."""
    name, _, words = spec.partition(":")
    options = Options(game=game)
    options.set("Bot", name.strip())
    nodes = None
    timed = False
    for word in filter(None, map(str.strip, words.split(","))):
        key, equals, value = word.partition("=")
        if not equals:
            raise OptionError(f"bot {quoted(spec)}: {quoted(word)} must be OPTION=VALUE")
        if key.lower() == "nodes":
            if not (value.isascii() and value.isdigit()):
                raise OptionError(f"bot {quoted(spec)}: nodes {quoted(value)} must be a number")
            nodes = int(value)
        else:
            options.set(key, value)
            timed = timed or find_option(key).name == "Move Time"
    return Bot(spec, options, Limits(nodes, options.move_time if timed or nodes is None else None))
