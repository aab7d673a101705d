"""A full garbage collection has the effects that it has unrecorded, and the trace tells of the objects all the same.

Each program runs unrecorded and recorded, once more with its events leaving memory all the time; what it prints must
be the same.
"""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest
from recorded import find
from test_survival import behaves

from algotrace import collecting

COMMON = """
import gc, weakref
class Box:
    def __init__(self, content):
        self.content = content
class Ending(Box):
    def __del__(self):
        print("the end of", self.content)
def same(box):
    return box
"""
PROGRAMS = {
    "a weak reference": """
def main():
    box = same(Box(1))
    seen = weakref.ref(box, lambda _: print("gone"))
    print(seen() is box)
    del box
    gc.collect()
    print(seen())
""",
    "a name that becomes None": """
def main():
    box = Box(1)
    seen = weakref.ref(same(box))
    box = None
    gc.collect()
    print(seen())
""",
    "a cycle": """
def main():
    box = same(Box(1))
    box.content = [box]
    seen = weakref.ref(box)
    del box
    print(seen() is not None)
    gc.collect()
    print(seen())
""",
    "what is still held": """
def main():
    box, other = same(Box(1)), Box(2)
    other.content = box
    seen = weakref.ref(box)
    del box
    gc.collect()
    print(seen() is other.content)
""",
    "a finalizer": """
def main():
    box = same(Ending(1))
    box.content = {"itself": box, "repr": 5}.get("repr")
    box.loop = box
    del box
    gc.collect()
    print("after it")
    gc.collect()
""",
    "a finalizer that keeps its object": """
saved = []
class Stubborn(Box):
    def __del__(self):
        saved.append(self)
def main():
    box = same(Stubborn(1))
    box.loop = box
    del box
    gc.collect()
    print(len(saved), saved[0].content)
    saved.clear()
    gc.collect()
    print(len(saved))
""",
    "a cache of weak values": """
def main():
    cache = weakref.WeakValueDictionary()
    kept = [cache.setdefault(number, same(Box(number))) for number in range(10)]
    del kept[3:]
    gc.collect()
    print(sorted(cache))
""",
    "a generator that waits": """
def numbers(box):
    try:
        yield box.content
    finally:
        print("closed")
def main():
    waiting = same(numbers(Box(1)))
    print(next(waiting))
    loop = [waiting]
    loop.append(loop)
    del waiting, loop
    gc.collect()
    print("after it")
""",
    "a class": """
def main():
    class Local(Box):
        pass
    print(same(Local(1)).content, len(Box.__subclasses__()))
    del Local
    gc.collect()
    print([cls.__name__ for cls in Box.__subclasses__()])
""",
    "finalizers that compute": """
class Counting(Box):
    def __del__(self):
        print(sum(same(Box(number)).content for number in range(5)))
def main():
    for number in range(3):
        box = same(Counting(number))
        box.loop = box
    del box
    gc.collect()
    print(same(Box(7)).content)
""",
    "other threads": """
import threading
seen = []
def work(number):
    for turn in range(30):
        box = same(Box(turn))
        seen.append(weakref.ref(box))
        del box
        gc.collect()
def main():
    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    gc.collect()
    print(len(seen), sum(one() is not None for one in seen))
""",
}


AT_ONCE = {
    "awaited by way of a variable": """
    sleeping = numbers()
    step = sleeping.asend(None)
    await step
    del sleeping, step
    print("after it")
""",
    "awaited, and something else after it": """
    sleeping = numbers()
    await sleeping.asend(None)
    await other()
    del sleeping
    print("after it")
""",
    "a step that is not awaited": """
    sleeping = numbers()
    step = sleeping.asend(None)
    step.close()
    await sleeping.asend(None)
    thrown = sleeping.athrow(ValueError)
    thrown.close()
    closing = sleeping.aclose()
    closing.close()
    del step, thrown, closing, sleeping
    print("after it")
""",
    "a default": """
    step = anext(numbers(), 7)
    await step
    del step
    print("after it")
""",
    "a wrapped coroutine": """
    wrapped = other().__await__()
    print(list(wrapped))
    del wrapped
    print("after it")
""",
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_who_sleeps_ends_with_its_last_reference(name: str, tmp_path: Path) -> None:
    source = f"""
class Ending:
    def __del__(self): print("the end")
async def numbers():
    ending = Ending()
    yield 42
async def other():
    ending = Ending()
    return 1
async def pair():
    return Ending(), Ending()
async def main():
    {AT_ONCE[name].strip()}
try:
    main().send(None)
except StopIteration:
    print("over")
"""
    behaves(tmp_path, source)


@pytest.mark.parametrize("options", [(), ("--spill-events", "500")], ids=["in memory", "spilled"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_collection_has_its_effects(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    trace = behaves(tmp_path, f"{COMMON}{PROGRAMS[name]}main()\n", *options).trace
    shown = trace.call(find(trace, "same")).arguments[0].value
    assert shown is not None
    assert "content=" in shown.text().text or name == "a generator that waits"


@pytest.mark.parametrize("options", [(), ("--spill-events", "50")], ids=["in memory", "spilled"])
def test_no_event_is_lost_or_moved(options: tuple[str, ...], tmp_path: Path) -> None:
    source = """
    import gc
    def number(n):
        return n
    def main():
        for n in range(300):
            number(n)
            if n % 7 == 0:
                gc.collect()
    main()
    """
    trace = behaves(tmp_path, source, *options).trace
    values = [
        trace.call(node).arguments[0].value
        for node in range(len(trace.parent))
        if trace.routines[trace.routine[node]].name == "number"
    ]
    assert [value and value.text().text for value in values] == [str(n) for n in range(300)]


def test_the_process_may_end_in_the_middle_of_a_collection(tmp_path: Path) -> None:
    source = """
    import gc, os
    class Last:
        def __del__(self):
            os._exit(3)
    def same(thing):
        return thing
    def main():
        last = same(Last())
        last.loop = last
        del last
        gc.collect()
    main()
    """
    trace = behaves(tmp_path, source).trace
    assert trace.routines[trace.routine[trace.parent[find(trace, "same")]]].name == "main"


def test_the_collector_is_left_as_it_was(tmp_path: Path) -> None:
    source = """
    import atexit, gc
    def last():
        print(gc.garbage, gc.isenabled(), gc.get_debug(), gc.collect() >= 0)
    atexit.register(last)
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    print([one for one in gc.garbage if "algotrace" in type(one).__module__])
    gc.set_debug(0)
    gc.garbage.clear()
    """
    behaves(tmp_path, source)


def test_what_makes_collections_slow_is_let_go(tmp_path: Path) -> None:
    source = """
    import gc, time
    class Box:
        pass
    def same(box):
        return box
    def main():
        for n in range(100_000):
            same(Box())
    def tracked():
        gc.collect()
        gc.freeze()
        count = gc.get_freeze_count()
        gc.unfreeze()
        return count
    before = tracked()
    main()
    while (many := tracked() > before + 10_000) and time.process_time() < 60:
        pass
    print(many)
    """
    trace = behaves(tmp_path, source).trace
    assert trace.size[0] > 100_000


def test_a_tuple_that_is_being_made_is_not_read(tmp_path: Path) -> None:
    library = """
    import gc
    def being_made():
        for obj in gc.get_objects():
            if type(obj) is tuple and gc.get_referents(obj) == ["first"] and len(obj) > 1:
                return obj
    """
    source = """
    from library import being_made
    def same(found):
        return found
    def items():
        yield "first"
        kept.append(same(being_made()))
    kept = []
    try:
        tuple(items())
    except SystemError:
        print("somebody else holds it")
    print(len(kept[0]))
    """
    recorded = behaves(tmp_path, source, "--exclude", "library.py", files={"library.py": library})
    shown = recorded.trace.call(find(recorded.trace, "same")).arguments[0].value
    assert shown is not None
    assert shown.text().text == "<tuple, not recorded: it was being made>"


def test_what_a_library_was_handed_is_let_go_of_like_anything_else(tmp_path: Path) -> None:
    source = """
    import gc, weakref
    from library import take, Box
    class Thing: pass
    def main():
        thing, box = Thing(), Box()
        take(thing)
        box.put([thing])
        seen = [weakref.ref(thing), weakref.ref(box)]
        del thing, box
        return seen
    seen = main()
    gc.collect()
    print([reference() for reference in seen])
    """
    library = "def take(thing): pass\nclass Box:\n    def put(self, thing): pass\n"
    behaves(tmp_path, source, "--exclude", "library.py", files={"library.py": library})


def test_what_a_call_gave_is_not_held_when_it_has_been_used(tmp_path: Path) -> None:
    """A container cannot change its size, nor a file in memory be closed, as long as somebody has a view of it."""
    source = """
    import gc, io, library, sys
    def main():
        file, found = io.BytesIO(b"test"), bytearray(b"abc")
        print(file.getbuffer().nbytes)
        file.close()
        found[0] = memoryview(found)[1]
        found.append(1)
        memoryview(found).tobytes()
        found.append(2)
        memoryview(found)
        found.append(3)
        print(len(memoryview(found)), found)
        found.append(4)
        print(numbers(1).__next__())
        print("and", numbers(2).send(None), [numbers(3).__next__()])
        print(library.first(iter(numbers(4))), library.second([file], numbers(5)))
        run(started(6))
        run(started(7), ended([file], numbers(8)))
        if sys.version_info < (3, 11): gc.collect()  # there it is the call that holds it to its end
        return io.BytesIO(found).getbuffer()[0] + 1
    def numbers(n):
        try: yield n
        finally: print("the end of", n)
    def started(n):
        made = numbers(n)
        next(made)
        return made
    def ended(file, made):
        return made
    def run(made, last=None):
        del made, last
        gc.collect()
        print("run")
    print(main())
    """
    library = "def first(items): return next(items)\ndef second(file, items): return next(items)\n"
    behaves(tmp_path, source, "--exclude", "library.py", files={"library.py": library})


def test_views_of_buffers_end_when_the_program_has_let_go_of_them(tmp_path: Path) -> None:
    """What functions were given and gave is in the events, which are not in the way of a change of size."""
    source = """
    import array
    def first(view): return view[0]
    def view(buffer): return memoryview(buffer)
    class Reader:
        def __init__(self, buffer): self.view = memoryview(buffer)
    def steps(buffer):
        yield memoryview(buffer)
    def main(buffer):
        first(memoryview(buffer))
        buffer.append(1)
        view(buffer)[0]
        buffer.extend([2])
        reader = Reader(buffer)
        del reader.view
        buffer += buffer[:1]
        for each in steps(buffer): first(each)
        del each
        del buffer[:1]
        held = view(buffer)
        try: buffer.append(5)
        except BufferError as error: print(error)
        held.release()
        buffer[1:2] = buffer[:0]
        print(buffer)
    main(bytearray(b"abc"))
    main(array.array("i", [1, 2, 3]))
    """
    behaves(tmp_path, source)
    (tmp_path / "spilled").mkdir()
    behaves(tmp_path / "spilled", source, "--spill-events", "20")


def test_what_a_library_was_handed_is_let_go_of_while_it_calls_the_program(tmp_path: Path) -> None:
    source = """
    import gc, weakref
    from library import call
    class Thing: pass
    def make(things):
        things.append(Thing())
        return things
    def work(things):
        seen = [weakref.ref(thing) for thing in things]
        things.clear()
        gc.collect()
        print([reference() for reference in seen])
        return later(seen)
    def later(seen):
        thing = Thing()
        call(make, [thing])
        seen.append(weakref.ref(thing))
        del thing
        yield 1
        gc.collect()
        yield [reference() for reference in seen]
    def main():
        print(list(call(work, [Thing(), [Thing()]][:1])))
        print(list(call(work, [Thing()])))
    main()
    """
    library = "def call(function, things):\n    given = function(things)\n    return given\n"
    behaves(tmp_path, source, "--exclude", "library.py", files={"library.py": library})


def test_nobody_takes_events_until_all_that_was_put_aside_is_back() -> None:
    """Python may change threads in between. Whatever is raised in there, all comes back."""
    seen = []

    class Holder:
        def put_aside(self) -> str:
            return "what it holds"

        def take_back(self, aside: object) -> None:
            seen.append((aside, collecting.is_under_way()))
            if len(seen) == 1:
                raise KeyboardInterrupt

    held = collecting._Aside([(Holder(), "one"), (Holder(), "other")])
    with pytest.raises(KeyboardInterrupt):
        held.__del__()
    assert seen == [("other", True), ("other", True), ("one", True)]
    assert not collecting.is_under_way()


def test_none_begins_while_anybody_wants_none() -> None:
    """Whoever is the first to leave."""
    both, done = threading.Event(), threading.Event()

    def other() -> None:
        with collecting.NO_COLLECTION:
            both.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    assert gc.isenabled()
    with collecting.NO_COLLECTION:
        thread.start()
        both.wait(10)
    assert not gc.isenabled()
    done.set()
    thread.join()
    assert gc.isenabled()
