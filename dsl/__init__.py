"""Reads a ruleset: text to checked tree."""
