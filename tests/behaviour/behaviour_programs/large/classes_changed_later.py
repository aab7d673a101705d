# ruff: noqa
# mypy: ignore-errors
"""Descriptors that come into classes, and go, after objects of these have been written to."""

from unittest import mock


class C:
    def __init__(self):
        self.x = 1

    def set(self, v):
        self.x = v
        return self


class D(C):
    pass


def noisy(name):
    return property(lambda self: print("read", name) or 1, lambda self, v: print("write", name, v))


c = C().set(2).set(3)
with mock.patch.object(C, "x", new_callable=mock.PropertyMock, create=True) as p:
    c.set(5)
    print(p.mock_calls)
    c.x = 6
    print(p.mock_calls)
c.set(6)
print(c.__dict__)
d = D().set(1).set(2)
D.x = noisy("x")
d.set(3)
d.x = 4
del D.x
d.set(5)
print(d.__dict__)
setattr(D, "x", noisy("again"))
d.set(3)
d.x += 4


class Seen:
    count = 0

    def __init__(self):
        Seen.count = Seen.count + 1
        self.count = 7


Seen()
s = Seen()
s.count = 3
print(Seen.count, s.__dict__)
