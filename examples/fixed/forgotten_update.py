# The corrected copy of ../forgotten_update.py.


class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount

    def withdraw(self, amount):
        if amount > self.balance:
            return False
        self.balance -= amount
        return True

    def transfer(self, other, amount):
        if not self.withdraw(amount):
            return False
        other.deposit(amount)
        return True


def balances(accounts):
    return {account.owner: account.balance for account in accounts}


def main():
    ann = Account("ann", 100)
    bob = Account("bob", 20)
    bob.deposit(5)
    ann.transfer(bob, 30)
    return balances([ann, bob])


if __name__ == "__main__":
    print(main())
