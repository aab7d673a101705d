"""Who can answer a question besides the user. A session asks its oracles in order and the user last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from algodebug.code_nodes import CodeNode
    from algotrace.trace import Call


@dataclass(frozen=True)
class Verdict:
    """What an oracle says about a call, and why it thinks so."""

    answer: Literal["correct", "wrong", "unknown", "trust-function"]
    source: str
    reason: str = ""


class Oracle(Protocol):
    """Judges calls by themselves. None means it has nothing to say about this one: somebody else is asked."""

    def judge(self, call: Call) -> Verdict | None: ...

    def close(self) -> None: ...


@runtime_checkable
class CodeOracle(Protocol):
    """Judges code inside a call, too: loops, iterations, ranges, statements."""

    def judge(self, call: Call) -> Verdict | None: ...

    def judge_code(self, node: CodeNode) -> Verdict | None: ...

    def close(self) -> None: ...


@runtime_checkable
class GapOracle(Protocol):
    """Knows what is missing in wrong code of which all parts are right."""

    def missing(self, node: CodeNode) -> tuple[int, int] | None:
        """The lines between which it is missing; None where that is not known."""
