# kind:     numpy slice is a view
# symptom:  normalising a window changes the signal itself (needs numpy)
# expected: [26.0, 18.666666666666668] 20.0
# actual:   [26.0, 8.0] -4.0
# buggy lines: 11
# buggy function: window

import numpy as np

def window(signal, start, length):
    return signal[start:start + length]

def centred(part):
    part -= part.mean()
    return part

def energies(signal, length):
    out = []
    for start in range(0, len(signal) - length + 1, length - 1):
        out.append(float((centred(window(signal, start, length)) ** 2).sum()))
    return out

if __name__ == "__main__":
    s = np.array([1.0, 3.0, 8.0, 2.0, 6.0])
    print(energies(s, 3), float(s.sum()))
