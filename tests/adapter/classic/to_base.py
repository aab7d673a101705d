"""A number in another base, recursively: what is left is not made smaller, so it recurses without end."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def to_base(number, base):
    if number < base:
        return DIGITS[number]
    left = number - base
    last = DIGITS[number % base]
    return to_base(left, base) + last


print(to_base(31415, 7))
