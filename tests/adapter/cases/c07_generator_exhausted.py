# kind:     generator consumed twice
# symptom:  the second pass over the readings sees nothing
# expected: (5.0, 4.0)
# actual:   (5.0, 0.0)
# buggy lines: 9
# buggy function: readings

def readings(text):
    return (float(w) for w in text.split())

def mean(values):
    n = total = 0
    for v in values:
        n += 1
        total += v
    return total / n

def spread(values, centre):
    worst = 0.0
    for v in values:
        worst = max(worst, abs(v - centre))
    return worst

def describe(text):
    values = readings(text)
    centre = mean(values)
    return centre, spread(values, centre)

if __name__ == "__main__":
    print(describe("2 4 9"))
