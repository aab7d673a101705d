"""An oracle that the user may lose patience with: from then on it has nothing to say, until they are asked again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from algodebug.oracles import CodeOracle, GapOracle, Oracle, Verdict

if TYPE_CHECKING:
    from algodebug.code_nodes import CodeNode
    from algotrace.trace import Call


class Patience:
    """Whether oracles are still waited for; may be lost from another thread."""

    def __init__(self) -> None:
        self._lost = threading.Event()

    def lose(self) -> None:
        """Oracles are not asked any more."""
        self._lost.set()

    def gain(self) -> None:
        """They are asked again."""
        self._lost.clear()

    @property
    def is_lost(self) -> bool:
        return self._lost.is_set()


class PatientOracle:
    """Asks another oracle as long as there is patience."""

    def __init__(self, oracle: Oracle, patience: Patience) -> None:
        self._oracle = oracle
        self._patience = patience

    def judge(self, call: Call) -> Verdict | None:
        return None if self._patience.is_lost else self._oracle.judge(call)

    def judge_code(self, node: CodeNode) -> Verdict | None:
        if self._patience.is_lost or not isinstance(self._oracle, CodeOracle):
            return None
        return self._oracle.judge_code(node)

    def missing(self, node: CodeNode) -> tuple[int, int] | None:
        return self._oracle.missing(node) if isinstance(self._oracle, GapOracle) else None

    def close(self) -> None:
        self._oracle.close()
