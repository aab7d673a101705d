"""Are brackets matched? What is open at the end is forgotten."""

PAIRS = {")": "(", "]": "[", "}": "{"}


def is_balanced(text):
    stack = []
    for sign in text:
        if sign in "([{":
            stack.append(sign)
        elif sign in PAIRS:
            if not stack or stack.pop() != PAIRS[sign]:
                return False
    return not stack


print(is_balanced("f(a[0], {1: (2, 3)}, [4, (5, 6)]"))
