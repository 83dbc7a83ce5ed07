from typing import Any

import pytest
from kernel import ApplesKernel, JassKernel
from reference.apples import ApplesReferee
from reference.jass import JassReferee

TABLES: dict[tuple[str, str], Any] = {
    ("referee", "jass"): JassReferee,
    ("referee", "apples"): ApplesReferee,
    ("kernel", "jass"): JassKernel,
    ("kernel", "apples"): ApplesKernel,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        skip = pytest.mark.skip(reason="slow: run with --slow")
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(skip)


@pytest.fixture(params=["referee", "kernel"])
def table(request: pytest.FixtureRequest) -> Any:
    """A deal of the game that the test module is about, played by the naive referee or by the kernel."""
    game = "jass" if "jass" in request.module.__name__ else "apples"
    return TABLES[request.param, game]
