"""The definitions and theorems of the paper as numbers that can be checked.

`volume` the large volume principle, `kronecker` Theorem 1, `root` Theorem 2, `hard` the case it
leaves out, `stability` Theorem 3, `accuracy` Theorem 4, `links` the way to other methods,
`pitfalls` what goes wrong when formulas are taken as printed.
"""
