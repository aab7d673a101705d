"""Runs functions of a corrected copy on recorded inputs, in a process of its own that the reference oracle starts.

It is run by the interpreter of the recorded program, from this folder alone: it uses the standard library only and
imports nothing else of ours. `start` is where that process begins.
"""
