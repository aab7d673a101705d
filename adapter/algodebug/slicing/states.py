"""One attribute of an object at a time, without making up the rest of the object: it may have been written often."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from algotrace import marks

if TYPE_CHECKING:
    from algotrace.content import Content
    from algotrace.trace import Trace

_OF_ATTRIBUTES = (marks.ATTRIBUTE, marks.ATTRIBUTE_NEW, marks.NAMED)
_FEW = 100  # writes that are undone one by one


class States:
    """What the attributes of objects were that were written often."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._slots: dict[
            int, dict[str, int] | None
        ] = {}  # object → attribute → slot; None where it has items too
        self._final: dict[int, Content] = {}
        self._classes: dict[str, list[int]] | None = None  # attribute → classes it was stored into
        self._modules: dict[str, list[int]] | None = None
        self._namespaces: dict[int, list[int]] | None = None  # object → dicts
        self._by_globals: tuple[dict[tuple[int, str], list[int]], dict[int, int]] | None = None

    def attribute(self, number: int, name: str, time: int) -> int:
        """The object that an attribute was; 0 where there is none, or it is not known."""
        trace = self._trace
        writes = trace.writes_of(number)
        slots = None if len(writes) < _FEW else self._slots_of(number)
        if slots is None:
            return trace.content(number, time).attributes.get(name, 0)
        since = bisect_left(writes.times, time)
        at = writes.next_of(slots.get(name, -1), since)
        whole = writes.next_whole(since)
        if whole < at:
            return trace.content(number, writes.times[whole]).attributes.get(name, 0)
        if at == len(writes):
            if number not in self._final:
                self._final[number] = trace.content(number, 1 << 62)
            return self._final[number].attributes.get(name, 0)
        write = trace.write_at(writes.times[at])
        old = 0 if write.kind == marks.ATTRIBUTE_NEW else write.values[-1]
        return 0 if not old or trace.row(old) in (["absent"], ["unknown"]) else old

    def last_write(self, number: int, name: str, before: int) -> int | None:
        """The time of the last write of an attribute before a time, -1 for none; None where it must be looked for."""
        writes = self._trace.writes_of(number)
        slots = None if len(writes) < _FEW else self._slots_of(number)
        if slots is None:
            return None
        at = writes.last_of(slots.get(name, -1), bisect_left(writes.times, before))
        return writes.times[at] if at >= 0 else -1

    def classes_with(self, name: str) -> list[int]:
        """The classes (and functions) that an attribute was stored into."""
        if self._classes is None:
            self._classes = self._written("class", "function")
        return self._classes.get(name, [])

    def modules_with(self, name: str) -> list[int]:
        """The modules that a name was stored into from outside."""
        if self._modules is None:
            self._modules = self._written("module")
        return self._modules.get(name, [])

    def stored_by_globals(self, source: int, name: str) -> list[int]:
        """When a name of a module was stored by way of `globals()`, or of what that gave and somebody kept."""
        return self._stored_by_globals()[0].get((source, name), [])

    def all_by_globals(self, source: int) -> list[int]:
        """When any name of a module was."""
        return self._stored_by_globals()[0].get((source, ""), [])

    def source_of_globals(self, number: int) -> int | None:
        """The source of the module whose names a dict holds that somebody kept; None where it is no such dict."""
        return self._stored_by_globals()[1].get(number)

    def _stored_by_globals(self) -> tuple[dict[tuple[int, str], list[int]], dict[int, int]]:
        if self._by_globals is None:
            found: dict[tuple[int, str], list[int]] = {}
            kept: dict[int, int] = {}
            trace = self._trace
            is_any = any(map(_may_store_names, self._texts()))
            for number in trace.objects_written() if is_any else ():
                row, noted = trace.row(number) if number else None, None
                for at in trace.writes_of(number).times if type(row) is list and row[0] == "dict" else ():
                    mark = trace.mark_at(at)
                    if mark is None:
                        continue
                    source = self._source_of_kept(number, at) if mark.kind == marks.PASSED else None
                    if source is not None:
                        kept[number], noted = source, mark.at
                    elif (
                        mark.kind == marks.NAMED and mark.at != noted
                    ):  # (at that place it is part of the note)
                        source = trace.routines[mark.routine].source
                        found.setdefault((source, trace.write_at(at).detail), []).append(at)
                        found.setdefault((source, ""), []).append(at)
                    elif mark.kind not in (marks.NAMED, marks.PASSED) and number in kept:
                        for name in (*self._stored_keys(number, at), ""):
                            found.setdefault((kept[number], name), []).append(at)
            for times in found.values():
                times.sort()
            self._by_globals = found, kept
        return self._by_globals

    def _source_of_kept(self, number: int, at: int) -> int | None:
        """The source of the module whose names a dict holds that is handed over at a time; None where it is no such dict."""
        trace, mark = self._trace, self._trace.mark_at(at)
        if mark is None:
            return None
        if mark.label.startswith("globals("):
            return trace.routines[mark.routine].source
        if not _names_namespace(mark.label):
            return None
        pairs = trace.content(number, at).pairs
        name = trace.row(pairs["__name__"][1]) if "__name__" in pairs and "__spec__" in pairs else None
        return next(iter(trace.lookups.sources_of(name)), None) if type(name) is str else None

    def _texts(self) -> list[str]:
        return [each.text for each in self._trace.sources]

    def _stored_keys(self, number: int, at: int) -> list[str]:
        """The names whose values a write into a dict changed."""
        trace, write = self._trace, self._trace.write_at(at)
        if write.kind in (marks.ITEM, marks.ITEM_DELETED):
            names = [trace.key_identity(write.values[1])]
        else:
            old, new = trace.content(number, at).pairs, trace.content(number, at + 1).pairs
            names = [
                key for key in {**old, **new} if key not in old or key not in new or old[key] != new[key]
            ]
        return [name for name in names if isinstance(name, str)]

    def namespaces_of(self, number: int) -> list[int]:
        """The dicts of an object's attributes that were kept somewhere, or handed over."""
        if self._namespaces is None:
            self._namespaces = {}
            trace = self._trace
            is_any = any(map(_names_namespace, self._texts()))
            for kept in trace.objects_written() if is_any else ():
                row = trace.row(kept) if kept else None
                for at in trace.writes_of(kept).times if type(row) is list and row[0] == "dict" else ():
                    owner = self._handed_with(at)
                    if owner and kept not in self._namespaces.setdefault(owner, []):
                        self._namespaces[owner].append(kept)
        return self._namespaces.get(number, [])

    def _handed_with(self, time: int) -> int:
        """The object whose attributes a dict holds that is handed over at a time; 0 where it is none."""
        trace = self._trace
        mark, before = trace.mark_at(time), bisect_left(trace._write_times, time) - 1
        if mark is None or mark.kind != marks.PASSED or before < 0:
            return 0
        if not _names_namespace(mark.label):
            return 0
        other = trace.mark_at(trace._write_times[before])
        return trace._written[before] if other is not None and other.at == mark.at else 0

    def _written(self, *kinds: str) -> dict[str, list[int]]:
        trace, found = self._trace, dict[str, list[int]]()
        for number in trace.objects_written():
            row = trace.row(number) if number else None
            if type(row) is list and row[0] in kinds:
                writes = map(trace.write_at, trace.writes_of(number).times)
                for attribute in dict.fromkeys(write.detail for write in writes):
                    found.setdefault(attribute, []).append(number)
        return found

    def _slots_of(self, number: int) -> dict[str, int] | None:
        if number not in self._slots:
            trace, found = self._trace, dict[str, int]()
            self._slots[number] = None
            writes = trace.writes_of(number)
            for slot, position in writes.earliest(0, len(writes)).items():
                if slot <= marks.APPENDED:
                    continue
                write = trace.write_at(writes.times[position])
                if write.kind not in (marks.ATTRIBUTE, marks.ATTRIBUTE_NEW, marks.NAMED):
                    return None
                found[write.detail] = slot
            self._slots[number] = found
        return self._slots[number]


def _may_store_names(text: str) -> bool:
    """Whether a text may bind names of a module by way of its dict, or by code that is a text itself."""
    return any(called in text for called in ("globals(", "exec(", "eval(")) or _names_namespace(text)


def _names_namespace(text: str) -> bool:
    return "vars(" in text or "__dict__" in text
