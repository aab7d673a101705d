# kind:     exception swallowed into a default
# symptom:  an amount with a thousands separator silently counts as 0
# expected: 2150.0
# actual:   899.5
# buggy lines: 10
# buggy function: parse_amount

def parse_amount(text):
    try:
        return float(text)
    except ValueError:
        return 0.0

def parse_rows(text):
    rows = []
    for line in text.splitlines():
        name, amount = line.split(";")
        rows.append((name.strip(), parse_amount(amount.strip())))
    return rows

def total(text):
    return sum(amount for _, amount in parse_rows(text))

if __name__ == "__main__":
    print(total("rent; 800\ncar; 1,250.50\nfood; 99.5"))
