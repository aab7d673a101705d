# Quicksort.
# What is wrong: numbers that occur twice get lost; it prints [1, 2, 3, 5, 7].
# What is right: `partition` must put the numbers equal to the pivot somewhere, `x >= pivot` in its second list;
# with that it prints [1, 2, 3, 3, 5, 5, 7].


def partition(numbers, pivot):
    smaller = [x for x in numbers if x < pivot]
    greater = [x for x in numbers if x > pivot]
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
