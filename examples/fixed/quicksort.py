# The corrected copy of ../quicksort.py.


def partition(numbers, pivot):
    smaller = [x for x in numbers if x < pivot]
    greater = [x for x in numbers if x >= pivot]
    return smaller, greater


def quicksort(numbers):
    if not numbers:
        return []
    pivot, *rest = numbers
    smaller, greater = partition(rest, pivot)
    return quicksort(smaller) + [pivot] + quicksort(greater)


def main():
    return quicksort([5, 3, 7, 1, 3, 5, 2])


if __name__ == "__main__":
    print(main())
