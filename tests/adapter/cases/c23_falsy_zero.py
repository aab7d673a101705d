# kind:     truth test where only None means missing
# symptom:  a limit of 0 is replaced by the default
# expected: {'ann': 4, 'bob': 0, 'cy': 3}
# actual:   {'ann': 4, 'bob': 2, 'cy': 3}
# buggy lines: 9
# buggy function: effective

def effective(limit, default):
    return limit or default

def allowed(requests, limit, default=3):
    cap = effective(limit, default)
    granted = 0
    for r in requests:
        if granted + r <= cap:
            granted += r
    return granted

def plan(users):
    return {name: allowed(reqs, limit) for name, limit, reqs in users}

if __name__ == "__main__":
    print(plan([("ann", 5, [2, 2, 2]), ("bob", 0, [1, 1]), ("cy", None, [2, 1, 1])]))
