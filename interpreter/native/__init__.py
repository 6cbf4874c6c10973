"""The native tier: a checked ruleset compiled to WebAssembly and run as machine code."""
