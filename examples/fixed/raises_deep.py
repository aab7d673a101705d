# The corrected copy of ../raises_deep.py.


def parse_item(text):
    name, _, count = text.partition("=")
    return name.strip(), int(count)


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
