"""argparse sets up a parser, parses a command line and writes the help."""

from copied import argparse

parser = argparse.ArgumentParser(prog="x")
for i in range(8):
    parser.add_argument(f"--o{i}", type=int, default=i, help="h %(default)s")
print(parser.parse_args(["--o1", "3", "--o2", "5"]).o1, len(parser.format_help()))
