"""Objects that change: attributes written and read in small methods, lists that grow and are cut."""


class Account:
    def __init__(self, number: int, balance: int) -> None:
        self.number = number
        self.balance = balance
        self.history: list[tuple[str, int]] = []
        self.frozen = False

    def deposit(self, amount: int) -> None:
        if amount <= 0:
            raise ValueError(amount)
        self.balance += amount
        self.history.append(("in", amount))

    def withdraw(self, amount: int) -> bool:
        if self.frozen or amount > self.balance:
            return False
        self.balance -= amount
        self.history.append(("out", amount))
        if len(self.history) > 20:
            self.history = self.history[10:]
        return True


class Particle:
    def __init__(self, x: float, speed: float) -> None:
        self.x = x
        self.speed = speed
        self.bounces = 0

    def step(self, time: float) -> None:
        self.x += self.speed * time
        if self.x < 0 or self.x > 100:
            self.speed = -self.speed
            self.bounces += 1
            self.x = -self.x if self.x < 0 else 200 - self.x


class World:
    def __init__(self, size: int) -> None:
        self.accounts = [Account(n, 1000 + n) for n in range(size)]
        self.particles = [Particle(n * 7 % 100, n % 11 - 5) for n in range(size)]
        self.time = 0
        self.refused = 0

    def transfer(self, source: int, target: int, amount: int) -> None:
        if self.accounts[source].withdraw(amount):
            self.accounts[target].deposit(amount)
        else:
            self.refused += 1

    def tick(self) -> None:
        self.time += 1
        for particle in self.particles:
            particle.step(0.5)
        size = len(self.accounts)
        for source in range(size):
            target = (source * 5 + self.time) % size
            if source != target:
                self.transfer(source, target, (source + self.time) % 40 + 1)

    def checksum(self) -> int:
        total = sum(account.balance * (account.number + 1) for account in self.accounts)
        return total + sum(particle.bounces for particle in self.particles) + self.refused


def main(scale: float) -> object:
    world = World(10)
    for _ in range(max(1, round(90_000 * scale))):
        world.tick()
    return world.checksum()
