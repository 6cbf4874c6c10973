"""`python -m regelwerk` is the program `regelwerk`."""

from regelwerk.cli import main

# Tools that import every module for its documentation would otherwise run the program.
if __name__ == "__main__":
    main()
