"""A tokenizer and a recursive-descent parser: characters, slices, tuples, small methods."""


def tokens(text: str) -> list[tuple[str, str]]:
    found = []
    at = 0
    while at < len(text):
        char = text[at]
        if char.isspace():
            at += 1
        elif char.isdigit():
            end = at
            while end < len(text) and (text[end].isdigit() or text[end] == "."):
                end += 1
            found.append(("number", text[at:end]))
            at = end
        elif char in "+-*/()":
            found.append(("operator", char))
            at += 1
        else:
            raise ValueError(f"unexpected {char!r} at {at}")
    found.append(("end", ""))
    return found


class Parser:
    def __init__(self, found: list[tuple[str, str]]) -> None:
        self.tokens = found
        self.at = 0

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at]

    def take(self) -> tuple[str, str]:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def sum(self) -> float:
        value = self.product()
        while self.peek()[0] == "operator" and self.peek()[1] in "+-":
            _, operator = self.take()
            right = self.product()
            value = value + right if operator == "+" else value - right
        return value

    def product(self) -> float:
        value = self.factor()
        while self.peek()[0] == "operator" and self.peek()[1] in "*/":
            _, operator = self.take()
            right = self.factor()
            value = value * right if operator == "*" else value / right
        return value

    def factor(self) -> float:
        kind, text = self.take()
        if kind == "number":
            return float(text) if "." in text else int(text)
        if text == "-":
            return -self.factor()
        if text != "(":
            raise ValueError(f"unexpected {text!r}")
        value = self.sum()
        if self.take()[1] != ")":
            raise ValueError("a closing parenthesis is missing")
        return value


def expression(depth: int, seed: int) -> str:
    if depth == 0:
        return str(seed % 97 + 1)
    left, right = expression(depth - 1, seed * 2 + 1), expression(depth - 1, seed * 3 + 2)
    return f"({left} {'+-*'[(depth + seed) % 3]} {right})"


def main(scale: float) -> object:
    total = 0
    for n in range(max(1, round(10_000 * scale))):
        text = expression(4, n) + " / 3.5 + 2 * -7"
        total += int(Parser(tokens(text)).sum()) % 1_000_003
    return total
