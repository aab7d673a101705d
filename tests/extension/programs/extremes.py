LIMIT = 3


def discounts(prices):
    result = []
    for price in prices:
        if price > LIMIT:
            price = price - 1
        result.append(price)
    return result


def extremes(prices):
    least = prices[0]
    most = 0
    for price in prices:
        if price > least:
            least = price
        most = max(most, price)
    return [most, least]


def main():
    prices = discounts([3, 2, 8])
    return extremes(prices)


print(main())
