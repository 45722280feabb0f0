"""One validated problem, in the form that every solver shares.

    minimise  |Y - H|^2 + gamma tr(H'QHP) + balance tr(H'11'HC),   C = I - pp'/|p|^2
    subject to  |H| = tau   (tau None: no constraint)

p is the prior of the classes, 1 by default: C charges for totals 1'H that are not along p.

Its stationary point is (gamma P (x) Q + balance C (x) 11' - rho I) vec H = vec Y.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, helmert, qr
from scipy.sparse.csgraph import connected_components

from mavr import relations
from mavr import validation as valid
from mavr.arrays import EPS, Array, Index, Mask
from mavr.solvers.structure import Structure


@dataclass(frozen=True)
class Relation:
    """P = U diag(mu) U', blocks of P kept apart so that zeros of U are exact.

    mu : (c,); U : (c, c); groups : columns that share one mu; B : (c, c-1) with C = B B';
    prior : (c,) of length 1, orthogonal to B; shares : (c,) the same as given, not rounded.
    """

    P: Array
    mu: Array
    U: Array
    groups: tuple[tuple[int, ...], ...]
    B: Array
    prior: Array
    shares: Array

    @cached_property
    def norm(self) -> float:
        """Upper bound of the largest eigenvalue of |P|, hence of P."""
        return float(np.abs(self.P).sum(axis=1).max())

    @cached_property
    def defects(self) -> tuple[Array, Array]:
        """Bounds of |P - U diag(mu) U'| and |I - UU'|, (c, c): U and mu as computed, not exact."""
        wide = self.U.astype(np.longdouble)
        rounding = 4 * len(self.mu) * float(np.finfo(np.longdouble).eps)
        size = np.abs(self.U)
        of_P = np.abs(self.P - (wide * self.mu) @ wide.T).astype(float)
        of_P += rounding * ((size * self.mu) @ size.T + np.abs(self.P))
        of_I = np.abs(np.eye(len(self.mu)) - wide @ wide.T).astype(float)
        return of_P, of_I + rounding * (size @ size.T)

    @cached_property
    def identity(self) -> bool:
        """U = I: P is a multiple of the identity."""
        return len(self.groups) == 1 and bool((np.eye(len(self.mu)) == self.U).all())

    def across(self, X: Array) -> Array:
        """X |U|: bounds of what is turned by U."""
        return X if self.identity else np.asarray(X @ np.abs(self.U))

    def back(self, X: Array) -> Array:
        """X |U'|: bounds of what is turned back."""
        return X if self.identity else np.asarray(X @ np.abs(self.U).T)

    @cached_property
    def unit(self) -> bool:
        """P = I."""
        return bool((np.eye(len(self.mu)) == self.P).all())


@dataclass(frozen=True)
class Problem:
    """structure : of Q; Y : (n, c); labelled : rows of Y with an entry; orbits : equal classes;
    ratio : unit of H by unit of Y, see `mavr.solvers.units`.
    """

    structure: Structure
    Y: Array
    labelled: Index
    relation: Relation
    gamma: float
    tau: float | None
    balance: float
    orbits: tuple[tuple[int, ...], ...]
    ratio: float = 1.0

    @property
    def size(self) -> float:
        """Upper bound of the norm of the quadratic form, absolute values taken term by term."""
        top = self.relation.norm * self.gamma * self.structure.norm
        return top + 2 * self.balance * self.structure.n

    def permuted(self, structure: Structure, order: Index) -> Problem:
        """The problem with its points in another order; structure : of Q in that order."""
        Y, labelled = self.Y.take(order, axis=0), np.zeros(len(order), dtype=bool)
        labelled[self.labelled] = True
        return replace(self, structure=structure, Y=Y, labelled=np.flatnonzero(labelled[order]))

    def unreached(self) -> Mask:
        """(n,) points with no label in their component."""
        return self.structure.unreached(self.labelled)

    def least_delta(self) -> float:
        """A lower bound of delta for a Laplacian, as in Theorem 2; 0 if there is none.

        gamma Q H P + delta H = Y gives v'Y = delta v'H for each null vector v of Q, and |v'H| <=
        |v| |H|. With balance that holds for the part along the prior, which C does not see.
        """
        structure, Y = self.structure, self.Y[self.labelled]
        if structure.null_vector is None or self.tau is None:
            return 0.0
        # One null vector per component, scaled to maximum 1 since its square may underflow.
        top = np.zeros(structure.n_components)
        np.maximum.at(top, structure.component, structure.null_vector)
        v = structure.null_vector / top[structure.component]
        length = np.sqrt(np.bincount(structure.component, v * v))
        if self.balance:
            Y = Y @ self.relation.prior[:, None]
        along = np.zeros((structure.n_components, Y.shape[1]))
        np.add.at(along, structure.component[self.labelled], v[self.labelled, None] * Y)
        found = float(np.linalg.norm(along / length[:, None]))
        # Positive and negative labels may cancel: what rounding leaves of them is no bound.
        noise = 16 * np.sqrt(structure.n) * EPS * float(np.linalg.norm(self.Y))
        return found / self.tau if found > noise or (Y >= 0).all() else 0.0


def make_problem(
    structure: Structure,
    Y: npt.ArrayLike,
    P: npt.ArrayLike | None,
    gamma: float,
    tau: float | None,
    balance: float,
    prior: npt.ArrayLike | None = None,
) -> Problem:
    """Check everything a user can get wrong, before any work."""
    gamma = valid.positive("gamma", gamma)
    if tau is not None:
        tau = valid.positive("tau", tau, " or None")
    balance = valid.non_negative("balance", balance)
    Y = valid.labels(Y, structure.n)
    c = Y.shape[1]
    P = None if P is None else np.asarray(P, dtype=float)
    given = None if P is None else (P.shape, P.tobytes())
    relation = _relation(c, given, None if prior is None else valid.shares(prior, c).tobytes())
    labelled = np.flatnonzero(Y.any(axis=1))
    # Classes are alike if the balance term treats them alike, too.
    heeded = prior is not None and balance > 0
    told = np.vstack([Y[labelled], relation.prior]) if heeded else Y[labelled]
    orbits = tuple(tuple(g) for g in relations.orbits(relation.P, told))
    # With one class there is nothing to balance: C = 0.
    return Problem(structure, Y, labelled, relation, gamma, tau, balance if c > 1 else 0.0, orbits)


def without_inert_balance(problem: Problem) -> Problem:
    """The problem without its balance term where that term is 0 in exact arithmetic.

    With Q1 = 0 the totals obey 1'H (balance n C - rho I) = 1'Y: labels that are balanced make
    responses that are, and what rounding leaves of the term would drown faint responses. Totals of
    0 may be a hard case, where the term says which of the lowest eigenvectors completes the norm.
    """
    v, total = problem.structure.null_vector, problem.Y[problem.labelled].sum(axis=0)
    if not problem.balance or v is None or np.ptp(v) > 0 or not total.any():
        return problem
    prior = problem.relation.prior
    if np.ptp(prior) == 0:
        inert = np.ptp(total) == 0
    else:
        inert = bool((total * prior[0] == total[0] * prior).all())
    return replace(problem, balance=0.0) if inert else problem


@lru_cache(maxsize=64)
def _relation(c: int, given: tuple[tuple[int, ...], bytes] | None, prior: bytes | None) -> Relation:
    """P checked and diagonalised, remembered: it seldom changes from one solve to the next."""
    P = np.eye(c)
    if given is not None:
        shape, entries = given
        P = relations.check(np.frombuffer(entries).reshape(shape), c)
    return relate(P, None if prior is None else np.frombuffer(prior))


def relate(P: Array, prior: Array | None = None) -> Relation:
    """Diagonalise P block by block; eigenvalues that agree to rounding become equal."""
    c = len(P)
    mu, U = np.empty(c), np.zeros((c, c))
    count, block = connected_components(P != 0, directed=False)
    done = 0
    for b in range(count):
        members = np.flatnonzero(block == b)
        columns = np.arange(done, done + len(members))
        if len(members) == 1:
            # Its own place, so that a diagonal P has U = I.
            mu[done], U[members[0], done] = P[members[0], members[0]], 1.0
        else:
            mu[columns], U[np.ix_(members, columns)] = eigh(P[np.ix_(members, members)])
        done += len(members)
    order = np.argsort(mu, kind="stable")
    mu, U = mu[order], U[:, order]
    groups: list[list[int]] = [[0]]
    for j in range(1, c):
        if mu[j] - mu[groups[-1][0]] <= 4 * c * EPS * mu[-1]:
            mu[j] = mu[groups[-1][0]]
            groups[-1].append(j)
        else:
            groups.append([j])
    if len(groups) == 1:
        # P is a multiple of I: any basis will do, and the given one mixes nothing.
        U = np.eye(c)
    if prior is None:
        shares, B = np.ones(c), helmert(c).T if c > 1 else np.zeros((1, 0))
    else:
        shares, B = prior, qr(prior[:, None])[0][:, 1:]
    along = shares / np.linalg.norm(shares)
    return Relation(P, mu, U, tuple(tuple(g) for g in groups), B, along, shares)
