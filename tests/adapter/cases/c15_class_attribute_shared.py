# kind:     class attribute shared by all instances
# symptom:  all accounts append to one history
# expected: {'ann': 7, 'bob': 5}
# actual:   {'ann': 12, 'bob': 12}
# buggy lines: 9
# buggy function: Account

class Account:
    history = []

    def __init__(self, owner):
        self.owner = owner

    def move(self, amount):
        self.history.append(amount)
        return self

    def balance(self):
        return sum(self.history)

def run(moves):
    accounts = {}
    for owner, amount in moves:
        if owner not in accounts:
            accounts[owner] = Account(owner)
        accounts[owner].move(amount)
    return {o: a.balance() for o, a in accounts.items()}

if __name__ == "__main__":
    print(run([("ann", 10), ("bob", 5), ("ann", -3)]))
