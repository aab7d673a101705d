"""`python benchmarks [--quick] [--repeat N]`: what recording costs, next to other tools and in situations apart; opening."""

import argparse

import opening
import peers
import recording
import situations

parser = argparse.ArgumentParser(prog="benchmarks", description="All figures of the recorder.")
parser.add_argument("--quick", action="store_true", help="little work, one run of each: whether it all runs")
parser.add_argument("--repeat", type=int, default=5, metavar="N", help="rounds (default: 5)")
options = parser.parse_args()
passed = ["--repeat", str(options.repeat), *(["--quick"] if options.quick else [])]
recording.main(passed)
peers.main(passed)
situations.main(passed)
opening.main(["--calls", "50000"] if options.quick else [])
