# kind:     float money and round() half to even
# symptom:  cents are lost because round() works on a binary float, ties to even
# expected: 1189
# actual:   1186
# buggy lines: 14
# buggy function: to_cents

from decimal import Decimal, ROUND_HALF_UP

def line_price(unit, quantity, rate):
    return unit * quantity * rate

def to_cents(amount):
    return round(amount * 100)

def invoice(lines):
    total = 0
    for unit, quantity, rate in lines:
        total += to_cents(line_price(unit, quantity, rate))
    return total

if __name__ == "__main__":
    print(invoice([(0.125, 1, 1.0), (2.5, 1, 0.25), (1.0, 3, 0.375), (10.0, 1, 1.0)]))
