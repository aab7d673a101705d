# kind:     str.rstrip takes a set of characters
# symptom:  letters of the stem that occur in the suffix go too
# expected: []
# actual:   ['sales', 'costs']
# buggy lines: 9
# buggy function: stem

def stem(filename):
    return filename.rstrip(".csv")

def index(files):
    names = {}
    for f in files:
        names[stem(f)] = f
    return names

def missing(files, wanted):
    have = index(files)
    return [w for w in wanted if w not in have]

if __name__ == "__main__":
    print(missing(["sales.csv", "costs.csv", "plan.csv"], ["sales", "costs", "plan"]))
