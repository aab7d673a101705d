# kind:     mutable default argument
# symptom:  state of one call leaks into the next
# expected: {'ann': 2, 'bob': 1, 'cy': 2}
# actual:   {'ann': 2, 'bob': 2, 'cy': 3}
# buggy lines: 12
# buggy function: collect

def parse_order(line):
    name, *items = line.split()
    return name, items

def collect(items, basket=[]):
    for item in items:
        if item not in basket:
            basket.append(item)
    return basket

def summarise(lines):
    report = {}
    for line in lines:
        name, items = parse_order(line)
        report[name] = len(collect(items))
    return report

if __name__ == "__main__":
    print(summarise(["ann pear fig", "bob fig", "cy plum pear"]))
