"""Numbers in nested loops: products of matrices and Gaussian elimination, on lists of lists."""

Matrix = list[list[float]]


def matrix(size: int, seed: int) -> Matrix:
    return [[(i * 31 + j * 17 + seed) % 13 - 6.0 for j in range(size)] for i in range(size)]


def product(a: Matrix, b: Matrix) -> Matrix:
    size = len(a)
    result = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(size):
            total = 0.0
            for k in range(size):
                total += a[i][k] * b[k][j]
            result[i][j] = total
    return result


def determinant(a: Matrix) -> float:
    rows = [row[:] for row in a]
    size = len(rows)
    result = 1.0
    for i in range(size):
        pivot = i
        while pivot < size and rows[pivot][i] == 0:
            pivot += 1
        if pivot == size:
            return 0.0
        if pivot != i:
            rows[i], rows[pivot] = rows[pivot], rows[i]
            result = -result
        result *= rows[i][i]
        for row in range(i + 1, size):
            factor = rows[row][i] / rows[i][i]
            for column in range(i, size):
                rows[row][column] -= factor * rows[i][column]
    return result


def main(scale: float) -> object:
    total = 0.0
    for n in range(max(1, round(5000 * scale))):
        c = product(matrix(10, n), matrix(10, n + 5))
        total += sum(c[i][i] for i in range(len(c))) + determinant(matrix(8, n)) % 1000
    return round(total, 3)
