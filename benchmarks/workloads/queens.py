"""All ways to put six queens on a board."""


def safe(board, column):
    return all(ok(board, row, column) for row in range(len(board)))


def ok(board, row, column):
    return board[row] != column and abs(board[row] - column) != len(board) - row


def solve(n, board=()):
    if len(board) == n:
        return 1
    return sum(solve(n, board + (c,)) for c in range(n) if safe(board, c))


print(solve(6))
