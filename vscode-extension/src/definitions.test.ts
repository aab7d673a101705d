import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enclosingDefinition } from './definitions';

const text = `import math

def outer(n):
    x = 1
    def inner(m):
        return m

    # back in outer
    return x

class Stack:
    async def push(self, item):
        if item:
            self.items.append(item)

print(outer(1))
`.split('\n');

const cases: [line: number, name: string | undefined][] = [
  [1, undefined],
  [3, 'outer'],
  [4, 'outer'],
  [5, 'inner'],
  [6, 'inner'],
  [9, 'outer'],
  [11, undefined],
  [14, 'push'],
  [16, undefined],
];

for (const [line, name] of cases) {
  test(`line ${line} is in ${name ?? 'no function'}`, () => {
    assert.equal(enclosingDefinition(text, line)?.name, name);
  });
}
