# How many different things everybody ordered.
# What is wrong: everybody after the first gets the things ordered before, too; it prints {'ann': 2, 'bob': 3}.
# What is right: `distinct` must leave its argument as it is and put the things into a list of its own, because the
# default `[]` is made only once; with that it prints {'ann': 2, 'bob': 1}.


def distinct(things, seen=[]):
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
