# The corrected copy of ../mutable_default.py.


def distinct(things, seen=[]):
    seen = list(seen)
    for thing in things:
        if thing not in seen:
            seen.append(thing)
    return seen


def parse_order(line):
    name, *things = line.split()
    return name, things


def count_orders(lines):
    counts = {}
    for line in lines:
        name, things = parse_order(line)
        counts[name] = len(distinct(things))
    return counts


def main():
    return count_orders(["ann pear fig", "bob plum"])


if __name__ == "__main__":
    print(main())
