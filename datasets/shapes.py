"""Point clouds of known shape, each a pure function of its arguments and a seed.

Rows come in class order. Where a shape must hang together its points are stratified (one per
cell, jittered inside it), so that no seed tears it apart.
"""

from __future__ import annotations

import numpy as np

from datasets.draws import check_seed, check_whole, shares, subset
from datasets.model import UNKNOWN, DataError, Dataset, FloatArray
from mavr.settings import Setting

# Far beyond what a dense graph can hold; a guard against a slipped zero.
MAX_POINTS = 200_000
# The neighbour whose distance is the local scale (Zelnik-Manor & Perona, NIPS 2004).
LOCAL_SCALE = 7
# Gaussian jitter is cut at this many standard deviations: one stray point is a shape of its own.
MAX_DEVIATION = 2.5

PLAYGROUND = Setting().having(similarity="local_scaling", n_neighbors=LOCAL_SCALE)


def three_circles(n: int = 300, noise: float = 0.5, seed: int = 0) -> Dataset:
    """The paper's 3circles: x = (6 y cos a + e, 5 y sin a + e') for the classes y = 1, 2, 3.

    The middle circle has twice as many points as the inner one, the outer one three times as
    many: "We have three classes with the class ratio 1/6, 1/3, 1/2."

    Parameters
    ----------
    n : number of points.
    noise : standard deviation of e and e'.
    """
    n, noise = check_points(n, 6), check_noise(noise)
    rng = np.random.default_rng(check_seed(seed))
    y = np.repeat(np.arange(3), shares(n, (1, 2, 3)))
    angle = rng.uniform(0, 2 * np.pi, n)
    X = (y + 1)[:, None] * np.column_stack([6 * np.cos(angle), 5 * np.sin(angle)])
    # The noise is drawn last and scaled, so that it alone changes with its argument.
    X = X + noise * rng.standard_normal((n, 2))
    setting = Setting().having(similarity="gaussian", sigma=0.5)
    note = (
        "The middle circle has twice as many points as the inner one, the outer one three times "
        'as many. Labels drawn balanced are our choice: in the paper "a subset [...] of size l is '
        'picked uniformly at random".'
    )
    return Dataset("3circles", X, y, ("inner", "middle", "outer"), setting=setting, note=note)


def two_moons(n: int = 300, noise: float = 0.08, seed: int = 0) -> Dataset:
    """Two half circles that reach into each other, by scikit-learn's `make_moons`.

    Parameters
    ----------
    n : number of points.
    noise : standard deviation of the noise.
    """
    from sklearn.datasets import make_moons

    n, noise = check_points(n, 4), check_noise(noise)
    X, y = make_moons(n, shuffle=False, noise=noise or None, random_state=check_seed(seed))
    return Dataset("Two moons", X, y, ("upper", "lower"), setting=PLAYGROUND)


def unequal_blobs(n: int = 300, spread: float = 1.0, seed: int = 0) -> Dataset:
    """Three Gaussian blobs, the largest eight times the smallest and three times as wide.

    Parameters
    ----------
    n : number of points.
    spread : width of all blobs as a multiple of the usual one.
    """
    from sklearn.datasets import make_blobs

    n, spread = check_points(n, 12), check_noise(spread)
    X, y = make_blobs(
        shares(n, (8, 3, 1)),
        centers=np.array([[0.0, 0.0], [5.5, 2.0], [4.0, -3.0]]),
        cluster_std=spread * np.array([1.2, 0.6, 0.4]),
        shuffle=False,
        random_state=check_seed(seed),
    )
    return Dataset("Unequal blobs", X, y, ("large", "medium", "small"), setting=PLAYGROUND)


def spiral(
    n: int = 300, arms: int = 2, turns: float = 1.5, noise: float = 0.05, seed: int = 0
) -> Dataset:
    """Arms of an Archimedean spiral, points evenly spaced along each arm.

    Parameters
    ----------
    n : number of points.
    arms : number of arms, a class each.
    turns : how often an arm goes round.
    noise : standard deviation of the noise, as a multiple of half the gap between arms.
    """
    n, noise = check_points(n, 10), check_noise(noise)
    arms = check_whole("arms", arms, 1, 5)
    if not 0.25 <= turns <= 5:
        raise DataError(f"turns must lie in 0.25..5, got {turns!r}")
    rng = np.random.default_rng(check_seed(seed))
    y = np.repeat(np.arange(arms), shares(n, np.ones(arms)))
    along = np.concatenate([stratified(count, rng) for count in np.bincount(y)])
    # Arc length grows about as the square of the radius: the root spaces the points evenly.
    radius = np.sqrt(0.02 + 0.98 * along)
    angle = 2 * np.pi * (turns * radius + y / arms)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    X = X + noise / (2 * turns * arms) * rng.standard_normal((n, 2))
    names = tuple(f"arm {arm + 1}" for arm in range(arms))
    return Dataset("Spiral", X, y, names, setting=PLAYGROUND)


def grid_outliers(n: int = 300, outliers: int = 12, noise: float = 0.1, seed: int = 0) -> Dataset:
    """Three square lattices and, far from them, outliers of which nobody knows the class.

    Parameters
    ----------
    n : number of points, the outliers included.
    outliers : number of outliers. Their class is -1: they count neither as right nor as wrong.
    noise : jitter in units of the lattice.
    """
    n, noise = check_points(n, 12), check_noise(noise)
    outliers = check_whole("outliers", outliers, 0, n - 12)
    rng = np.random.default_rng(check_seed(seed))
    counts = shares(n - outliers, (1, 1, 1))
    patches = []
    for count, shift in zip(counts, (0.0, 1.6, 3.2), strict=True):
        side = int(np.ceil(np.sqrt(count)))
        cells = np.stack(np.divmod(np.arange(count), side), axis=1) + 0.5
        jitter = noise * rng.uniform(-1, 1, (count, 2))
        patches.append((cells + jitter) / side + (shift, 0.0))
    X = np.concatenate([*patches, _far_away(outliers, rng)])
    y = np.concatenate([np.repeat(np.arange(3), counts), np.full(outliers, UNKNOWN)])
    note = f"{outliers} outliers have no true class and do not count as errors."
    names = ("left", "middle", "right")
    return Dataset("Grid with outliers", X, y, names, setting=PLAYGROUND, note=note)


def _far_away(n: int, rng: np.random.Generator) -> FloatArray:
    """Points above and below the lattices, at least half a lattice away from them."""
    x = -1.0 + 6.2 * stratified(n, rng)
    side = np.where(np.arange(n) % 2, 1.0, -1.0)
    return np.column_stack([x, 0.5 + side * rng.uniform(1.0, 2.0, n)])


def digits(n: int = 1797, seed: int = 0) -> Dataset:
    """scikit-learn's 8 x 8 handwritten digits.

    Parameters
    ----------
    n : number of digits, drawn in proportion to the classes; 1797 is all of them.
    """
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    names, setting = tuple("0123456789"), PLAYGROUND.having(balance=1.0)
    note = "64 grey values per digit; the picture shows the plane of largest variance (PCA)."
    full = Dataset("Digits", X, y, names, setting=setting, note=note)
    return subset(full, n, seed=seed)


# Three discs that overlap, for several labels per point.
DISC_NAMES = ("left", "right", "top")
DISC_CENTRES = np.array([[-0.55, -0.32], [0.55, -0.32], [0.0, 0.63]])
# Label sets with labelled points; the other overlaps (right and top, left and top, all three)
# have none: they must be found from the labels around them.
LABELLED_SETS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0))
PER_SET = 4
# Discs have no gap between them, so the paper's 99 smooths their borders away: of 1, 10, 99 and
# 1000 the smallest had the lowest Hamming loss on ten seeds.
DISC_GAMMA = 1.0


def multilabel(n: int = 300, seed: int = 0) -> Dataset:
    """Points spread over three overlapping unit discs, as in a Venn diagram: a label for each disc.

    Parameters
    ----------
    n : number of points.
    """
    n = check_points(n, 60)
    rng = np.random.default_rng(check_seed(seed))
    # The discs cover about half of the square around them; three times n is plenty.
    cloud = 3.4 * (spread_over_square(3 * n, rng) - 0.5) + (0.0, 0.15)
    cloud = cloud + 0.3 / np.sqrt(n) * rng.uniform(-1, 1, cloud.shape)
    inside = np.linalg.norm(cloud[:, None] - DISC_CENTRES, axis=2) < 1
    kept = np.flatnonzero(inside.any(axis=1))[:n]
    Y = inside[kept].astype(np.int8)
    members = [np.flatnonzero(np.equal(Y, labels).all(axis=1)) for labels in LABELLED_SETS]
    # A small cloud may have fewer in the overlap; it always has one.
    labelled = [rng.permutation(points)[:PER_SET] for points in members]
    return Dataset(
        name="Overlapping discs",
        X=cloud[kept],
        class_names=DISC_NAMES,
        Y=Y,
        labelled=np.concatenate(labelled),
        setting=PLAYGROUND.having(gamma=DISC_GAMMA),
        note="Three of the four overlaps hold no labelled point.",
    )


def check_points(n: int, least: int) -> int:
    return check_whole("n", n, least, MAX_POINTS)


def check_noise(noise: float) -> float:
    if not (np.isfinite(noise) and noise >= 0):
        raise DataError(f"noise must be finite and >= 0, got {noise!r}")
    return float(noise)


def stratified(n: int, rng: np.random.Generator, jitter: float = 1.0) -> FloatArray:
    """n increasing numbers in (0, 1), one in each n-th part; jitter 0 puts them in the middle."""
    return (np.arange(n) + 0.5 + min(jitter, 1.0) * rng.uniform(-0.5, 0.5, n)) / n


def spread_over_square(n: int, rng: np.random.Generator) -> FloatArray:
    """(n, 2) points evenly over the unit square: an additive recurrence, randomly shifted.

    The steps are powers of the inverse plastic number, the two-dimensional golden ratio
    (Roberts 2018): any stretch of the sequence covers the square without clumps.
    """
    steps = np.array([0.7548776662466927, 0.5698402909980532])
    return (rng.uniform(size=2) + np.outer(np.arange(n), steps)) % 1.0


def deviations(n: int, rng: np.random.Generator) -> FloatArray:
    """n standard normal numbers, cut at MAX_DEVIATION."""
    return np.clip(rng.standard_normal(n), -MAX_DEVIATION, MAX_DEVIATION)


def even_deviations(n: int, rng: np.random.Generator) -> FloatArray:
    """n numbers of mean 0 and variance 1, uniform, every few in a row spread over the range."""
    golden = (np.sqrt(5) - 1) / 2
    uniform = (rng.uniform() + golden * np.arange(n)) % 1.0
    return np.asarray(np.sqrt(12) * (uniform - 0.5))
