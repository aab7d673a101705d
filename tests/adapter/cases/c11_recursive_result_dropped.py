# kind:     recursive call whose result is not returned
# symptom:  a node below the first level is found and then forgotten
# expected: [6, 4, 2, 0]
# actual:   [6, 0, 0, 0]
# buggy lines: 15
# buggy function: find

def node(name, *children):
    return {"name": name, "children": list(children)}

def find(tree, name):
    if tree["name"] == name:
        return tree
    for child in tree["children"]:
        find(child, name)
    return None

def size(tree):
    return 1 + sum(size(c) for c in tree["children"])

def size_of(tree, name):
    hit = find(tree, name)
    return 0 if hit is None else size(hit)

if __name__ == "__main__":
    t = node("root", node("a", node("b", node("d")), node("c")), node("e"))
    print([size_of(t, n) for n in ("root", "a", "b", "z")])
