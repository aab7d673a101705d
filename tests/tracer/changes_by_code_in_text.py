"""Pieces of programs whose code stands in texts: `exec`, `eval`, namespaces."""

from __future__ import annotations

CODE_IN_TEXT = {
    'exec of class attributes': """
class A:
    x = 1; ys = [1]
def state(): return {k: v for k, v in vars(A).items() if not k.startswith("__")}
def seen(c): look(c.x); look(c.ys); return c
seen(A); exec("A.x = 2; A.ys.append(5)", {"A": A}); seen(A); exec("A.z = [3]", {"A": A}); seen(A); look(A.z); A.z.append(4); look(A.z)
""",
    'exec given namespace': """
ns = {"a": 1, "xs": [1]}
look(ns)
exec("a = 2; xs.append(2); b = 3", ns)
ns.pop("__builtins__")
look(ns)
exec("a += 5; del b", ns, ns)
look({k: v for k, v in ns.items() if k != "__builtins__"})
""",
    'exec two namespaces': """
g = {"__builtins__": {}}
l = {"a": 1}
look(l)
exec("a = 2; b = [a]", g, l)
look(l)
exec("b.append(3); a = 9", g, l)
look(l)
""",
    'exec changes container': """
xs = [1]
look(xs)
exec("xs.append(2)", {"xs": xs})
look(xs)
exec("for i in range(3): xs.append(i)", {"xs": xs})
look(xs)
""",
    'exec changes deep': """
class O: pass
o = O(); o.x = 1; o.ys = [1]
look(o)
exec("o.x = 2; o.ys.append(3)", {"o": o})
look(o)
eval("o.ys.append(4)", {"o": o})
look(o)
eval("setattr(o, 'x', 5)", {"o": o})
look(o)
""",
    'exec of function': """
ns = {}
exec("def f(x):\\n  x.append(1)\\n  return x\\n", ns)
f = ns["f"]
xs = []
look(xs)
f(xs); look(xs)
f(xs); look(xs)
""",
    'exec class making': """
ns = {}
exec("class A:\\n  def __init__(self): self.x = 1\\n  def inc(self): self.x += 1\\n", ns)
a = ns["A"]()
look(a)
a.inc(); look(a)
a.inc(); look(a)
""",
    'compile and exec': """
c = compile("xs.append(7)", "<mine>", "exec")
xs = []
look(xs)
exec(c, {"xs": xs}); look(xs)
exec(c, {"xs": xs}); look(xs)
""",
    'exec method via types': """
class O: pass
o = O()
def m(self, v): self.v = v
o.set = types.MethodType(m, o); look(o.__dict__.keys().__len__()); o.set(4); look(o.v); o.set(5); look(o.v)
""",
    'exec of a generator': """
class Ctx:
    def __init__(self): self.vars = {}
    def seen(self): look(self); return "x"
class Env: concat = staticmethod("".join)
class T:
    def __init__(self, ns): self.root = ns["root"]; self.env = Env()
    def render(self): ctx = Ctx(); self.env.concat(self.root(ctx)); look(ctx); concat = "".join; concat(self.root(ctx)); look(ctx)
made = {}
exec(compile("def root(ctx): yield ctx.seen(); ctx.vars['m'] = ctx.vars.get('m', 0) + 1; yield ctx.seen()", "<t>", "exec"), made)
T(made).render()
""",
}  # fmt: skip
