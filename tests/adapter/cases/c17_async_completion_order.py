# kind:     async: results taken in completion order
# symptom:  answers are matched with the wrong questions
# expected: {'Oslo': 4, 'Lima': 4, 'Nairobi': 7, 'Rome!!': 6}
# actual:   {'Oslo': 6, 'Lima': 7, 'Nairobi': 4, 'Rome!!': 4}
# buggy lines: 17
# buggy function: gather_lengths

import asyncio

async def lookup(city, delay):
    await asyncio.sleep(delay)
    return len(city)

async def gather_lengths(cities):
    jobs = [asyncio.ensure_future(lookup(c, 0.01 * (len(cities) - i))) for i, c in enumerate(cities)]
    results = []
    for done in asyncio.as_completed(jobs):
        results.append(await done)
    return dict(zip(cities, results))

def lengths(cities):
    return asyncio.run(gather_lengths(cities))

if __name__ == "__main__":
    print(lengths(["Oslo", "Lima", "Nairobi", "Rome!!"]))
