# The corrected copy of ../aliased_rows.py.


def make_board(size):
    return [["."] * size for _ in range(size)]


def mark(board, row, column):
    board[row][column] = "x"


def show(board):
    return ["".join(row) for row in board]


def play(size, moves):
    board = make_board(size)
    for row, column in moves:
        mark(board, row, column)
    return show(board)


def main():
    return play(3, [(1, 1)])


if __name__ == "__main__":
    print(main())
