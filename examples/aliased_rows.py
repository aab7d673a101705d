# A board for a game: rows of squares, in which moves are marked.
# What is wrong: one move marks a whole column; it prints ['.x.', '.x.', '.x.'].
# What is right: `make_board` must make a new list for every row, not the same list three times;
# with that it prints ['...', '.x.', '...'].


def make_board(size):
    row = ["."] * size
    return [row] * size


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
