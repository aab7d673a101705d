import math
def inflection_point(n):
    return math.sqrt(n)
def is_divisible(n1, n2):
    return n1 % n2 == 0
def is_prime(number):
    if number <= 1:
        return False
    lim = inflection_point(number)
    i = 2
    while i <= lim:
        if is_divisible(number, i):
            return False
        i += 1
    return True
def main():
    return is_prime(9)


if __name__ == "__main__":
    print(main())


# The corrected copy of ../isprime.py.
