"""The case files over the wire: what a real engine process answers is what its parts answer, and the cases want."""

import json
from collections.abc import Iterator

import pytest
from conversation import Conversation
from test_cases import CASES
from trickbot.engine.notation import notation
from trickbot.engine.position import Position, legal_words
from trickbot.engine.state import state

FILES = sorted({case["id"].rsplit("-", 1)[0] for case in CASES})


@pytest.fixture(scope="module")
def engine() -> Iterator[Conversation]:
    conversation = Conversation("jass")
    yield conversation
    conversation.close()


@pytest.mark.parametrize("name", FILES)
def test_replay(name: str, engine: Conversation) -> None:
    for case in CASES:
        if case["id"].rsplit("-", 1)[0] != name:
            continue
        before = engine.ask("state")
        said = engine.ask(case["position"])
        if "error" in case:
            codes = [case["error"]] if isinstance(case["error"], str) else case["error"]
            assert len(said) == 1, case["id"]
            assert said[0].split()[:2] in [["error", code] for code in codes], case["id"]
            assert engine.ask("state") == before, case["id"]
            continue
        assert said == [], case["id"]
        position = Position.parse(case["position"])
        names = notation(position.rules.game)
        if "legal_error" in case:
            assert engine.ask("legal")[0].split()[1] in case["legal_error"], case["id"]
        else:
            wanted = "legal " + " ".join(legal_words(position.deal, names))
            assert engine.ask("legal") == [wanted.rstrip()], case["id"]
        [line] = engine.ask("state")
        assert json.loads(line.removeprefix("state ")) == json.loads(json.dumps(state(position, names))), (
            case["id"]
        )
        for depth, count in case.get("perft", {}).items():
            engine.send(f"go perft {depth}")
            assert engine.line(30) == f"perft {depth} {count}", case["id"]
