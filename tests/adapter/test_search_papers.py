"""The worked examples of the papers, with their way to count: the root is asked, too, until it is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from search_samples import (
    SQRTEST_LEXICAL,
    SQRTEST_LEXICAL_WRONG,
    by_rule,
    paper_tree,
    search,
)

from algodebug.execution_tree import ExecutionTree
from algodebug.search import STRATEGIES, Mark, SuspiciousArea, strategies
from algodebug.search.evidence import evidence
from algodebug.search.suspicion import (
    dependency_chain,
    fewest_correct,
    influence_sets,
    most_wrong,
    proportion_wrong,
)
from algodebug.search.suspicious_area import Run
from algodebug.search.transformations import (
    FLAT,
    RECURSIVE,
    UNDER_LOOP,
    Collapsed,
    Loop,
    choose_after,
    collapse,
    compress,
    compressing,
    expand_loops,
    project,
    simplify,
    without,
)

SQRTEST = paper_tree(SQRTEST_LEXICAL, by_rule)

# Of the value 8 in the third question, and of 2 in the twentieth: who made it, and who influenced it.
EIGHT = Mark(3, 17, frozenset({1, 2, 4, *range(16, 28)}))
TWO = Mark(20, 23, frozenset({1, 2, 4, 16, 20, 23, 24}))


def asked(strategy: str, wrong: set[int], tree: ExecutionTree = SQRTEST, **options: object) -> str:
    questions, area = search(tree, wrong.__contains__, STRATEGIES[strategy].choose, **options)  # type: ignore[arg-type]
    return " ".join(f"{n}{'N' if n in wrong else 'Y'}" for n in questions) + f" -> {area.top}"


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("single-stepping", "3Y 6Y 5Y 11Y 10Y 9Y 8Y 15Y 14Y 13Y 12Y 7Y 19Y 18Y 17Y 22Y 21Y 24Y 23N -> 23"),
        ("top-down", "1N 2N 3Y 4N 5Y 7Y 16N 17Y 20N 21Y 23N 24Y -> 23"),
        ("top-down-zooming", "1N 2N 3Y 4N 5Y 7Y 16N 17Y 20N 21Y 23N 24Y -> 23"),
        ("heaviest-first", "1N 2N 4N 7Y 16N 20N 21Y 23N 24Y -> 23"),
        ("less-yes-first", "1N 2N 4N 7Y 16N 20N 21Y 23N 24Y -> 23"),
        ("divide-and-query-shapiro", "7Y 16N 17Y 21Y 24Y 23N -> 23"),
        ("divide-and-query-hirunkitti", "7Y 16N 17Y 21Y 24Y 23N -> 23"),
        ("divide-by-yes-and-query", "7Y 16N 21Y 23N 24Y -> 23"),
    ],
)
def test_sqrtest(strategy: str, expected: str) -> None:
    assert asked(strategy, SQRTEST_LEXICAL_WRONG) == expected


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("single-stepping", 18),
        ("top-down", 11),
        ("heaviest-first", 9),
        ("less-yes-first", 9),
        ("divide-and-query-shapiro", 6),
        ("divide-and-query-hirunkitti", 6),
        ("divide-by-yes-and-query", 5),
    ],
)
def test_sqrtest_with_siblings_in_the_order_of_evaluation(strategy: str, expected: int) -> None:
    """As Python evaluates: an argument before the call it is passed to."""
    order = {2: [25, 4, 3], 7: [12, 8], 16: [20, 17]}
    numbers: list[int] = []

    def visit(number: int) -> None:
        numbers.append(number)
        for child in order.get(number, SQRTEST_LEXICAL[number][1]):
            visit(child)

    visit(1)
    place = {number: at for at, number in enumerate(numbers, 1)}
    nodes = {
        place[n]: (text, sorted(place[c] for c in children))
        for n, (text, children) in SQRTEST_LEXICAL.items()
    }
    wrong = {place[number] for number in SQRTEST_LEXICAL_WRONG}
    questions, area = search(paper_tree(nodes, by_rule), wrong.__contains__, STRATEGIES[strategy].choose)
    assert len(questions) == expected
    assert numbers[area.top - 1] == 23


def test_sqrtest_by_routine_instead_of_rule() -> None:
    tree = paper_tree(SQRTEST_LEXICAL, lambda text: text.split()[0])
    assert asked("divide-by-yes-and-query", SQRTEST_LEXICAL_WRONG, tree) == "7Y 16N 21Y 23N 24Y -> 23"
    assert asked("less-yes-first", SQRTEST_LEXICAL_WRONG, tree) == "1N 2N 4N 7Y 16N 20N 21Y 23N 24Y -> 23"


def test_sqrtest_with_marks() -> None:
    """Without their influence sets, so that the chain alone leads; then with them."""
    chains = {3: EIGHT._replace(influencing=None), 20: TWO._replace(influencing=None)}
    tracked = asked("subterm-dependency-tracking", SQRTEST_LEXICAL_WRONG, marks=chains)
    assert tracked == "1N 2N 3Y 17Y 16N 20N 23N 24Y -> 23"
    sliced = asked("top-down", SQRTEST_LEXICAL_WRONG, marks={3: EIGHT, 20: TWO})
    assert sliced == "1N 2N 3Y 4N 16N 17Y 20N 23N 24Y -> 23"
    weighted = asked("dynamic-weighting-search", SQRTEST_LEXICAL_WRONG, marks={3: EIGHT, 20: TWO})
    assert weighted == "1N 2N 3Y 17Y 4N 16N 20N 23N 24Y -> 23"


def test_a_mark_takes_what_had_no_influence_out_of_the_area() -> None:
    area = SuspiciousArea(SQRTEST, 1)
    area.remove(3)
    before = set(area.askable_nodes())
    area.mark(EIGHT)
    assert len(before - set(area.askable_nodes())) == 11
    area.narrow(20)
    before = set(area.askable_nodes())
    area.mark(TWO)
    assert before - set(area.askable_nodes()) == {21, 22}


def test_dynamic_weighting_search_forms_four_sets() -> None:
    sets = influence_sets(SQRTEST, EIGHT)
    assert sets.made == {17, 18, 19}
    assert sets.passed == {2, 4, 16}
    assert sets.influenced == {1, *range(20, 28)}
    assert sets.without_influence - {0} == {3, *range(5, 16)}
    assert dependency_chain(SQRTEST, EIGHT) == [17, 16, 4, 2]
    assert dependency_chain(SQRTEST, TWO) == [23]


def numbered(children: Mapping[int, Sequence[int]], rule: Mapping[int, str] | None = None) -> ExecutionTree:
    """A tree of numbered nodes, from 1 on in preorder, under a node for nothing."""
    count = 1 + sum(map(len, children.values()))
    names = rule or {n: f"f{n}" for n in range(1, count + 1)}
    return paper_tree({n: (names[n], children.get(n, [])) for n in range(1, count + 1)}, str)


def test_three_questions_blame_isprime() -> None:
    tree = numbered({1: [2, 3]})
    for strategy in STRATEGIES:
        _, area = search(tree, {1}.__contains__, STRATEGIES[strategy].choose)
        assert area.top == 1, strategy
    assert asked("top-down", {1}, tree) == "1N 2Y 3Y -> 1"


# newton: the whole, the first line, the loop, its first iteration, a line in it, its third iteration, the last line.
NEWTON = numbered({1: [2, 3, 7], 3: [4, 6], 4: [5]})


@pytest.mark.parametrize(
    ("wrong", "blamed"), [({1}, 1), ({1, 3}, 3), ({1, 3, 4}, 4), ({1, 3, 4, 5}, 5), ({1, 3, 6}, 6)]
)
def test_newton_is_blamed_at_the_node_with_no_wrong_child(wrong: set[int], blamed: int) -> None:
    for strategy in STRATEGIES.values():
        _, area = search(NEWTON, wrong.__contains__, strategy.choose)
        assert area.top == blamed, strategy.name


# f 1 = 8, of g 5 = 8 (j 7 = 8, i 6 = 7, h 5 = 6), k 4 = 5, g 1 = 4 (j 3 = 4, i 2 = 3, h 1 = 2).
FGK = numbered(
    {1: [2, 6, 7], 2: [3, 4, 5], 7: [8, 9, 10]},
    {1: "f", 2: "g", 3: "j", 4: "i", 5: "h", 6: "k", 7: "g", 8: "j", 9: "i", 10: "h"},
)


def test_marking_every_value_can_ask_all_nodes() -> None:
    origins = {1: 3, 3: 4, 4: 5, 2: 6, 6: 8, 8: 9, 9: 10}
    marks = {node: Mark(node, origin, None) for node, origin in origins.items()}
    assert (
        asked("subterm-dependency-tracking", {1, 7}, FGK, marks=marks)
        == "1N 3Y 4Y 5Y 2Y 6Y 8Y 9Y 10Y 7N -> 7"
    )
    assert asked("top-down", {1, 7}, FGK) == "1N 2Y 6Y 7N 8Y 9Y 10Y -> 7"


# append [1,2,3,4] [5,6]: four uses of the rule for a non-empty list, then one of the rule for the empty one.
APPEND = paper_tree({n: ("cons" if n < 5 else "nil", [n + 1] if n < 5 else []) for n in range(1, 6)}, str)


@pytest.mark.parametrize(("bug", "blamed"), [("nil", "nil"), ("cons", "cons")])
def test_append_needs_one_question_when_compressed_by_rule(bug: str, blamed: str) -> None:
    """The call of append is known to be wrong; every further node of the same rule would say nothing new."""
    wrong = {1, 2, 3, 4, 5} if bug == "nil" else {1, 2}
    area = SuspiciousArea(APPEND, 1)
    questions, area = search(
        APPEND,
        wrong.__contains__,
        lambda area, last: choose_after(area, last, compressing(), strategies.top_down),  # type: ignore[arg-type,return-value]
        area=area,
    )
    assert questions == [5]
    assert APPEND.place(area.top).function == blamed


RULES = numbered(
    {1: [2, 5, 8], 2: [3, 4], 5: [6, 7], 8: [9, 11], 9: [10]},
    {1: "1", 2: "2", 3: "3", 4: "4", 5: "5", 6: "6", 7: "7", 8: "8", 9: "8", 10: "7", 11: "7"},
)


def test_divide_by_yes_prefers_rules_not_yet_right() -> None:
    area = SuspiciousArea(RULES, 1)
    assert strategies.shapiro(area) == strategies.divide_by_yes_and_query(area) == 8
    assert strategies.heaviest_first(area) == 8
    area.remove(8)
    assert strategies.divide_by_yes_and_query(area) == 2
    assert strategies.less_yes_first(area) == 2


HAT_DELTA = [
    # rule, right, wrong, proportion of wrong
    ("sort []", 4, 0, 0),
    ("sort (x:xs)", 8, 4, 1 / 3),
    ("insert []", 4, 0, 0),
    ("x<y", 4, 0, 0),
    ("otherwise", 0, 0, 1 / 2),
]


@pytest.mark.parametrize(("rule", "right", "wrong", "proportion"), HAT_DELTA)
def test_hat_deltas_heuristics(rule: str, right: int, wrong: int, proportion: float) -> None:
    assert proportion_wrong(right, wrong) == pytest.approx(proportion)
    assert fewest_correct(right, wrong) == -right
    assert most_wrong(right, wrong) == wrong


def test_hat_delta_asks_about_the_most_suspicious_rule() -> None:
    """Four sorts of two elements are right, then a tree with the rules' counts of the table and one use of `otherwise`."""
    sort = ("sort (x:xs)", [("sort (x:xs)", ["sort []"]), "insert []", "x<y"])
    suspect = ("sort (x:xs)", ["insert []", "x<y", "otherwise", "sort []"])
    wrong = ("sort (x:xs)", [("sort (x:xs)", [("sort (x:xs)", [suspect])])])
    tree = ExecutionTree.from_nested(("main", [sort, sort, sort, sort, wrong]))
    area = SuspiciousArea(tree, 0)
    for node in list(tree.children(0))[:4]:
        area.remove(node)
    area.narrow(tree.end(1) * 4 - 3)
    known = evidence(area)
    counts = {
        name: (known.correct[routine], known.wrong[routine])
        for routine, name in ((p.routine, p.function) for p in tree.places)
    }
    assert counts["sort []"][0] == 4
    assert counts["sort (x:xs)"] == (8, 4)
    assert counts["insert []"][0] == counts["x<y"][0] == 4
    chosen = strategies.hat_delta_yes(area, None)
    assert chosen is not None
    assert tree.place(chosen).function == "otherwise"


def test_hat_delta_starts_top_down() -> None:
    assert strategies.hat_delta_yes(SuspiciousArea(SQRTEST, 2), None) == 3


def test_hat_delta_at_its_worst_goes_bottom_up() -> None:
    """After the left branch was right, rules that are deeper there come last: the other branch lists them reversed."""
    left = ("2", [("3", ["4", "4"]), ("3", ["4"])])
    tree = ExecutionTree.from_nested(("1", [left, ("4", [("3", ["2"])])]))
    choose = STRATEGIES["hat-delta-yes"].choose
    # The bug is in the node known to be wrong: all that is asked is right.
    questions, area = search(tree, lambda question: False, choose)
    assert questions == [1, 9, 8, 7]
    assert area.top == 0


def test_insertion_sort_needs_four_questions() -> None:
    """isort [4,3,5] = [3,5,4], its three inserts in the order of evaluation; the last one is wrong."""
    tree = numbered({1: [2, 3, 4]}, {1: "isort", 2: "insert", 3: "insert", 4: "insert"})
    assert asked("top-down", {1, 4}, tree) == "1N 2Y 3Y 4N -> 4"


# Functions as values. Shown by name, a callback's caller is who applies it; shown by what they map, who mentions them.
@pytest.mark.parametrize(
    ("children", "wrong", "blamed"),
    [
        ({1: [2], 2: [3]}, {1, 2, 3}, 3),  # flip, app, not
        ({1: [2, 3]}, {1, 3}, 3),  # the same with maps: app is right about the map it got
        ({1: [2]}, {1, 2}, 2),  # main, dbl
    ],
)
def test_callbacks_are_blamed_in_either_shape(
    children: dict[int, list[int]], wrong: set[int], blamed: int
) -> None:
    for strategy in STRATEGIES.values():
        _, area = search(numbered(children), wrong.__contains__, strategy.choose)
        assert area.top == blamed, strategy.name


def shape(tree: ExecutionTree, node: int = 0) -> list[object]:
    return [shape(tree, child) for child in tree.children(node)]


def test_loop_expansion_has_the_papers_shape() -> None:
    """Method 0 calls method 1, then method 2 in an inner loop of three in an outer loop of two."""
    tree = ExecutionTree.from_nested(("0", ["1", "2", "2", "2", "2", "2", "2"]))
    loop = Loop(tuple((Loop(tuple((3 * i + j,) for j in range(3))),) for i in range(2)))
    shifted = Loop(
        tuple((Loop(tuple((child + 2,) for (child,) in inner.iterations)),) for (inner,) in loop.iterations)
    )
    body = (1, shifted)
    flat = expand_loops(tree, {0: body}, FLAT)
    assert len(flat.tree) == 16
    assert shape(flat.tree) == [[], *[[[[]], [[]], [[]]]] * 2]
    assert flat.identity[0] == -1 and flat.main[0] == 0
    assert sorted(old for old in flat.identity if old >= 0) == list(range(1, 8))
    assert all(sources == {0} for sources in flat.sources.values())
    whole = expand_loops(tree, {0: body}, UNDER_LOOP)
    assert shape(whole.tree) == [[], [[[[[]], [[]], [[]]]]] * 2]
    chained = expand_loops(tree, {0: body}, RECURSIVE)
    inner = [[], [[], [[]]]]
    assert shape(chained.tree) == [[], [inner, [inner]]]


def test_projection_and_collapse_have_the_papers_shapes() -> None:
    tree = ExecutionTree.from_nested(("0", [("1", ["4", "5"]), ("2", ["6"]), ("3", ["7"])]))
    projected = project(tree, [Run(0, 1, 4)])
    assert shape(projected.tree) == [[[[], []], [[]]], [[]]]
    assert sorted(old for old in projected.identity if old >= 0) == list(range(1, 8))
    made = next(iter(projected.made))
    assert projected.made[made] == Run(0, 1, 4)
    assert projected.sources[made] == {0, 1, 4}
    collapsed = collapse(tree, [(1, 4, 6)])
    assert shape(collapsed.tree) == [[[], [], [], []]]
    assert sorted(old for old in collapsed.identity if old >= 0) == [2, 3, 5, 7]
    assert collapsed.made == {1: Collapsed((1, 4, 6))}
    assert collapsed.sources == {0: {0}, 1: {0, 1, 4, 6}}
    chain = collapse(tree, [(1, 2)])
    assert shape(chain.tree) == [[[]], [[]], [[]]]
    assert chain.sources == {1: {1, 2}}


def test_compression_has_the_papers_shape() -> None:
    """One recursion in methods 1 and 4, two in method 6: four of fifteen nodes go."""
    six = ("6", [("6", ["7"]), ("6", ["8"]), "9"])
    tree = ExecutionTree.from_nested(("0", [("1", [("1", ["2", "3"])]), ("4", [("4", ["5"])]), six, "2"]))
    assert len(tree) == 15
    compressed = compress(tree)
    assert len(compressed.tree) == 11
    assert shape(compressed.tree) == [[[], []], [[]], [[], [], []], []]
    assert not compressed.sources


def test_simplification_moves_the_lazy_computation() -> None:
    """A lazy stream: f(2) is created in one node and asked for in another; eagerly it is computed where it is created."""
    tree = ExecutionTree.from_nested(("main", [("create", ["f"]), ("use", [("first", ["lazy"]), "other"])]))
    simplified = simplify(tree, {5: 1})
    assert shape(simplified.tree) == [[[], []], [[], []]]
    assert sorted(old for old in simplified.identity if old >= 0) == [0, 2, 5, 6]
    assert simplified.main == {1: 1, 4: 3, 5: 4}
    assert {simplified.main[n]: set(s) for n, s in simplified.sources.items()} == {
        1: {1, 5},
        3: {3, 5},
        4: {4, 5},
    }


def test_without_moves_calls_up() -> None:
    tree = ExecutionTree.from_nested(("a", [("b", ["c", ("d", ["e"])]), "f"]))
    assert shape(without(tree, [0, 1, 0, 1, 0, 0]).tree) == [[], [], []]
