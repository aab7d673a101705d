"""json's encoder in Python writes nested data."""

from copied.json import encoder

DATA = {str(i): [{"a": j, "b": [None, True, 1.5]} for j in range(4)] for i in range(15)}

iterencode = encoder._make_iterencode(
    {}, lambda o: o, encoder.py_encode_basestring_ascii, None, float.__repr__, ": ", ", ", True, False, False
)
print(len("".join(iterencode(DATA, 0))))
