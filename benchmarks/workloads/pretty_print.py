"""pprint lays out a dictionary of dictionaries of lists."""

from copied import pprint

DATA = {i: {j: list(range(5)) for j in range(4)} for i in range(12)}

print(len(pprint.pformat(DATA, width=40)))
