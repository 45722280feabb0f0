"""The definitions and theorems of the paper as numbers that can be checked.

`volume` the large volume principle, `kronecker` Theorem 1 and two classes as one, `losses` the four
losses, `label_sets` thresholds, `root` Theorem 2, `hard` the case that the sentence before it
leaves out, `stability` Theorem 3, `truth` and `accuracy` Theorem 4, `links` the way to other
methods, `pitfalls` what goes wrong when formulas are taken as printed.

Numbers of equations and theorems are those of arXiv 1402.0288.
"""
