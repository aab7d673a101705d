"""Sieve of Eratosthenes: multiples are crossed out from the prime itself on."""


def primes_up_to(limit):
    is_prime = [True] * (limit + 1)
    is_prime[0] = is_prime[1] = False
    for number in range(2, limit + 1):
        if is_prime[number]:
            for multiple in range(1 * number, limit + 1, number):
                is_prime[multiple] = False
    return [number for number in range(limit + 1) if is_prime[number]]


print(primes_up_to(40))
