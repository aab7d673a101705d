"""Number of ones in a number's binary form: the lowest one is not taken away, so it never ends."""


def bit_count(number):
    count = 0
    while number:
        number ^= number - 1
        count += 1
    return count


print(bit_count(0b1011_0111_0101))
