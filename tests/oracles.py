"""Slow, obvious answers to compare with. Nothing here uses the solver."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
from mpmath import mp
from scipy.linalg import eigh, solve_sylvester
from scipy.optimize import brentq
from sklearn.semi_supervised import LabelSpreading


def quadratic_form(Q, P, gamma, balance=0.0):
    """gamma P (x) Q + balance C (x) 11', for vec H stacked by columns."""
    n, c = len(Q), len(P)
    C = np.eye(c) - np.ones((c, c)) / c
    return gamma * np.kron(P, Q) + balance * np.kron(C, np.ones((n, n)))


def dense_at(Q, Y, P, gamma, balance, rho):
    """H by one dense nc x nc solve at a given rho."""
    n, c = Y.shape
    M = quadratic_form(Q, P, gamma, balance) - rho * np.eye(n * c)
    return np.linalg.solve(M, Y.T.ravel()).reshape(c, n).T


def dense_constrained(Q, Y, P, gamma, tau, balance=0.0):
    """(H, rho) by a full eigen-decomposition of the nc x nc form and a bracketed root."""
    n, c = Y.shape
    lam, V = eigh(quadratic_form(Q, P, gamma, balance))
    z = V.T @ Y.T.ravel()

    def excess(log_delta):
        return np.log(np.linalg.norm(z / (lam - lam[0] + np.exp(log_delta)))) - np.log(tau)

    log_delta = brentq(excess, np.log(1e-13), np.log(1e15), xtol=1e-14, rtol=1e-15)
    delta = np.exp(log_delta)
    return (V @ (z / (lam - lam[0] + delta))).reshape(c, n).T, lam[0] - delta


def sylvester(Q, Y, P, gamma):
    """Unconstrained H: gamma Q H P + H = Y, as (gamma Q) H + H P^-1 = Y P^-1."""
    inverse = np.linalg.inv(P)
    return solve_sylvester(gamma * Q, inverse, Y @ inverse)


def objective(Q, Y, P, gamma, balance, H):
    total = H.sum(axis=0)
    C = np.eye(len(P)) - 1 / len(P)
    spread = balance * total @ C @ total
    return ((Y - H) ** 2).sum() + gamma * np.trace(H.T @ Q @ H @ P) + spread


def subtraction_free(W, Y, gamma, delta, kind):
    """H for P = I from W itself, one row at a time, by sums and quotients of positive numbers.

    unnormalized: (gamma (D - W) + delta I) H = Y; normalized, with H = D^1/2 X:
    (gamma (D - W) + delta D) X = D^1/2 Y.
    """
    d = W.sum(axis=1)
    if kind == "unnormalized":
        return _grassmann(gamma * W, np.full(len(W), delta), Y)
    alone = d == 0
    root = np.sqrt(np.where(alone, 1.0, d))
    excess = np.where(alone, 1.0, d) * delta
    return root[:, None] * _grassmann(gamma * W, excess, root[:, None] * Y)


def _grassmann(off, excess, Y):
    off, excess, X = off.copy(), excess.copy(), Y.copy()
    n = len(off)
    pivot = np.empty(n)
    for k in range(n):
        pivot[k] = excess[k] + off[k, k + 1 :].sum()
        w = off[k + 1 :, k] / pivot[k]
        off[k + 1 :, k + 1 :] += np.outer(w, off[k, k + 1 :])
        np.fill_diagonal(off[k + 1 :, k + 1 :], 0.0)
        excess[k + 1 :] += w * excess[k]
        X[k + 1 :] += np.outer(w, X[k])
    for k in range(n - 1, -1, -1):
        X[k] = (X[k] + off[k, k + 1 :] @ X[k + 1 :]) / pivot[k]
    return X


def constrained_subtraction_free(W, Y, gamma, tau, kind="normalized"):
    """(H, delta) by a bracketed root of the norm of `subtraction_free`."""
    high = np.log(np.linalg.norm(Y) / tau)

    def excess(log_delta):
        H = subtraction_free(W, Y, gamma, np.exp(log_delta), kind)
        return np.log(np.linalg.norm(H) / tau)

    # |H| is at most |Y| / delta, and at least what reaches the null vector: n > 1e-40 of it.
    log_delta = brentq(excess, high - 92, high + 1e-9, xtol=1e-13, rtol=1e-14)
    return subtraction_free(W, Y, gamma, np.exp(log_delta), kind), np.exp(log_delta)


def label_spreading(W, y, gamma):
    """Soft labels of scikit-learn's LabelSpreading for alpha = gamma / (1 + gamma), unnormalised.

    It iterates F <- alpha S F + (1 - alpha) Y, S = D^-1/2 W D^-1/2, then scales each row to sum 1.
    """
    model = LabelSpreading(
        kernel=lambda A, B: W, alpha=gamma / (1 + gamma), max_iter=200_000, tol=1e-14
    )
    model.fit(np.zeros((len(W), 1)), y)
    return model.label_distributions_, model.transduction_


def laprls(W, Y, lambda_A, lambda_I):
    """H = K (J K + lambda_A l I + lambda_I l / n^2 L K)^-1 Y, as printed."""
    n = len(W)
    labelled = Y.any(axis=1)
    l = labelled.sum()
    K = W + np.eye(n)
    L = np.diag(W.sum(axis=1)) - W
    J = np.diag(labelled.astype(float))
    return K @ np.linalg.solve(J @ K + lambda_A * l * np.eye(n) + lambda_I * l / n**2 * L @ K, Y)


def extended_solve(A, B):
    """A^-1 B by elimination with partial pivoting in the precision of A, one row at a time."""
    A, X = A.copy(), B.astype(A.dtype)
    n = len(A)
    for k in range(n):
        p = k + np.abs(A[k:, k]).argmax()
        A[[k, p]], X[[k, p]] = A[[p, k]], X[[p, k]]
        w = A[k + 1 :, k] / A[k, k]
        A[k + 1 :, k:] -= np.outer(w, A[k, k:])
        X[k + 1 :] -= np.outer(w, X[k])
    for k in range(n - 1, -1, -1):
        X[k] = (X[k] - A[k, k + 1 :] @ X[k + 1 :]) / A[k, k]
    return X


def laprls_extended(W, Y, lambda_A, lambda_I):
    """(H, objective): the printed formula and Belkin's functional in long doubles.

    |f|_K^2 is alpha'K alpha.
    """
    W = np.asarray(W, dtype=np.longdouble)
    n = len(W)
    labelled = Y.any(axis=1)
    l = labelled.sum()
    one = np.longdouble(1)
    K, L = W + np.eye(n), np.diag(W.sum(axis=1)) - W
    smooth = one * lambda_I / n**2
    M = labelled[:, None] * K + one * lambda_A * l * np.eye(n) + smooth * l * (L @ K)
    alpha = extended_solve(M, Y)
    H = K @ alpha
    fit = ((Y - H)[labelled] ** 2).sum() / l
    return H, float(fit + lambda_A * (alpha * H).sum() + smooth * (H * (L @ H)).sum())


def poisson(W, Y):
    """Poisson learning: the potential of the labels, centred, L U = Y - mean over the labels."""
    L = np.diag(W.sum(axis=1)) - W
    labelled = Y.any(axis=1)
    source = np.where(labelled[:, None], Y - Y[labelled].mean(axis=0), 0.0)
    return np.linalg.pinv(L) @ source


def feasible_points(H, tau, count, seed=0):
    """Points of the sphere |H| = tau: some anywhere, some near H."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        step = rng.standard_normal(H.shape)
        point = step if k % 2 else H + 10.0 ** rng.uniform(-6, 0) * np.linalg.norm(H) * step
        yield point * (tau / np.linalg.norm(point))


def _long_form(Q, P, gamma, balance):
    """gamma P (x) Q + balance C (x) 11' in long arithmetic."""
    n, c = len(Q), len(P)
    M = mp.matrix(n * c, n * c)
    for j in range(c):
        for k in range(c):
            for a in range(n):
                for b in range(n):
                    entry = mp.mpf(float(P[j, k])) * mp.mpf(float(Q[a, b])) * mp.mpf(gamma)
                    entry += mp.mpf(balance) * ((1 if j == k else 0) - mp.mpf(1) / c)
                    M[j * n + a, k * n + b] = entry
    return M


def many_digits(Q, Y, P, gamma, rho, balance=0.0, digits=60):
    """H in long arithmetic, for a handful of points."""
    with mp.workdps(digits):
        (n, c), M = Y.shape, _long_form(Q, P, gamma, balance)
        for i in range(n * c):
            M[i, i] -= mp.mpf(rho)
        h = mp.lu_solve(M, mp.matrix([mp.mpf(float(v)) for v in Y.T.ravel()]))
        return [[h[j * n + i] for j in range(c)] for i in range(n)]


def constrained_many_digits(Q, Y, P, gamma, tau, balance=0.0, digits=60):
    """(H, delta) on the sphere |H| = tau in long arithmetic, for a handful of points.

    By an eigen-decomposition of the nc x nc form and bisection for delta, rho = lowest - delta.
    """
    with mp.workdps(digits):
        (n, c), M = Y.shape, _long_form(Q, P, gamma, balance)
        lam, V = mp.eigsy(M)
        z = V.T * mp.matrix([mp.mpf(float(v)) for v in Y.T.ravel()])
        gap = [value - lam[0] for value in lam]

        def norm(delta):
            return mp.sqrt(sum((z[k] / (gap[k] + delta)) ** 2 for k in range(n * c)))

        low, high = mp.mpf(10) ** -200, mp.norm(z) / mp.mpf(tau) + 1
        for _ in range(int(digits * 3.4) + 700):
            middle = mp.sqrt(low * high)
            low, high = (middle, high) if norm(middle) > tau else (low, middle)
        h = V * mp.matrix([z[k] / (gap[k] + low) for k in range(n * c)])
        return [[h[j * n + i] for j in range(c)] for i in range(n)], low


def exact_laplacian(W, kind):
    """The Laplacian of W as Decimals, degrees and all."""
    W = _decimals(W)
    d = W.sum(axis=1)
    alone = np.eye(len(W)) > 0
    if kind == "unnormalized":
        return np.where(alone, d[:, None], -W)
    root = np.array([value.sqrt() for value in d])
    return np.where(alone, Decimal(1), -W / root[:, None] / root)


def decimal_solve(make_Q, Y, P, gamma, balance, rho, tau=None, digits=120):
    """(H, rho) as Decimals by elimination of the nc x nc form; with tau, Newton's method from rho.

    make_Q is called for Q, (n, n) Decimals, in the precision of `digits`.
    """
    with localcontext(prec=digits, Emin=-(10**6), Emax=10**6):
        (n, c), y, rho = Y.shape, _decimals(Y).T.reshape(-1, 1), Decimal(float(rho))
        same = _decimals(np.eye(c))
        M = np.kron(_decimals(P) * Decimal(gamma), make_Q())
        M = M + np.kron(Decimal(balance) * (same - Decimal(1) / c), np.full((n, n), Decimal(1)))
        for _ in range(30):
            shifted = M.copy()
            shifted.flat[:: n * c + 1] -= rho
            factor = _ldl(shifted)
            h = _ldl_solve(*factor, y)
            if tau is None:
                break
            norm = (h * h).sum().sqrt()
            slope = (h * _ldl_solve(*factor, h)).sum() / norm
            step = (norm / Decimal(tau)) * (Decimal(tau) - norm) / slope
            if abs(step) <= Decimal(10) ** (10 - digits) * abs(rho):
                break
            rho += step
        return h.reshape(c, n).T, rho


def _decimals(A):
    return np.array([[Decimal(float(value)) for value in row] for row in np.asarray(A)])


def _ldl(A):
    """The columns of L below the diagonal, and D, of a positive definite A, which is used up."""
    columns, pivots = [], []
    for k in range(len(A)):
        columns.append(A[k + 1 :, k] / A[k, k])
        pivots.append(A[k, k])
        A[k + 1 :, k + 1 :] -= np.multiply.outer(columns[k], A[k, k + 1 :])
    return columns, pivots


def _ldl_solve(columns, pivots, B):
    X = B.copy()
    for k, column in enumerate(columns):
        X[k + 1 :] -= np.multiply.outer(column, X[k])
    for k in reversed(range(len(X))):
        X[k] = X[k] / pivots[k] - (columns[k][:, None] * X[k + 1 :]).sum(axis=0)
    return X
