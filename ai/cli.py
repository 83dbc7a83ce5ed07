"""The command ``trickbot``: without a subcommand it is the engine, see ``trickbot.ai.protocol``.

Subcommands are imported when they are asked for, so that the engine starts in a moment.
"""

from importlib import import_module
from typing import Any

import click
from trickbot.engine.cards import GAMES
from trickbot.engine.errors import TrickbotError

COMMANDS: dict[str, str] = {
    "analyse": "trickbot.ai.analysis.commands:analyse",
    "check": "trickbot.ai.arena.commands:check",
    "deal": "trickbot.ai.analysis.dealing:deal",
    "match": "trickbot.ai.arena.commands:match",
    "tournament": "trickbot.ai.arena.commands:tournament",
    "tune": "trickbot.ai.tuning.commands:tune",
    "bench": "trickbot.ai.bench:bench",
}
"""The subcommands: name to module:object, a click command each."""


class LazyGroup(click.Group):
    """A group whose commands are imported by need, and whose errors are one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TrickbotError as wrong:
            raise click.ClickException(str(wrong)) from wrong


@click.group(
    cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--game", type=click.Choice(list(GAMES)), default="jass", show_default=True, help="What is played."
)
@click.version_option(package_name="trickbot", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context, game: str) -> None:
    """Opponents for Schieber Jass and Apples.

    Without a command: an engine that speaks its protocol over standard input and output.
    """
    ctx.obj = game
    if ctx.invoked_subcommand is None:
        from trickbot.ai.protocol import run

        run(game)
