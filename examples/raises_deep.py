# A packing plan: half of everything in stock goes into the first van.
# What is wrong: it ends with "TypeError: unsupported operand type(s) for //: 'str' and 'int'", raised in `half`, far
# from the mistake.
# What is right: `parse_item` must return the count as a number, `int(count)`; with that it prints {'bolts': 6, 'nuts': 15}.


def parse_item(text):
    name, _, count = text.partition("=")
    return name.strip(), count


def parse_stock(text):
    return dict([parse_item(part) for part in text.split(",")])


def half(count):
    return count // 2


def share(stock, name):
    return half(stock[name])


def plan(stock):
    return {name: share(stock, name) for name in sorted(stock)}


def main():
    return plan(parse_stock("nuts=30, bolts=12"))


if __name__ == "__main__":
    print(main())
