"""Proves what holds in a game, refutes it with the shortest game, or says how far it looked."""
