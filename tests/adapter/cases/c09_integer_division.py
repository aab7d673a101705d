# kind:     floor division where a true quotient is needed
# symptom:  percentages are truncated before they are added
# expected: {'a': 62.5, 'b': 25.0, 'c': 12.5}
# actual:   {'a': 0, 'b': 0, 'c': 0}
# buggy lines: 9
# buggy function: share

def share(part, whole):
    return part // whole * 100

def tally(votes):
    counts = {}
    for v in votes:
        counts[v] = counts.get(v, 0) + 1
    return counts

def result(votes):
    counts = tally(votes)
    return {k: share(n, len(votes)) for k, n in sorted(counts.items())}

if __name__ == "__main__":
    print(result("a b a c a b a a".split()))
