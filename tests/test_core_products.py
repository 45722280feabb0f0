"""Faint weights cost no time: products leave out what nobody hears, factors are scaled exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg.lapack import dpotrf, dpotrs

import mavr
from mavr.arrays import EPS
from mavr.solvers import factor as factors
from mavr.solvers.factor import factor, scale_root
from tests.strategies import three_circles


def spectrum(sigma, n=120):
    X = three_circles(0, n)[0]
    return mavr.decompose(mavr.laplacian(mavr.gaussian_similarity(X, sigma)))


@pytest.mark.parametrize("sigma", [0.2, 0.5, 2.0, 30.0])
def test_products_are_right_to_rounding(sigma):
    s = spectrum(sigma).structure
    H = np.random.default_rng(0).random((s.n, 3)) * 10.0 ** -np.arange(0, 30, 10)
    exact = (s.Q.astype(np.longdouble) @ H.astype(np.longdouble)).astype(float)
    allowed = (s.n + 4) * EPS * s.norm * np.linalg.norm(H, axis=0)
    assert (np.abs(s.times(H) - exact) <= allowed).all()


def test_faint_entries_are_left_out_of_products_alone():
    near, far = spectrum(30.0).structure, spectrum(0.3).structure
    assert near.heard is None
    assert far.heard is not None
    # The Q that is solved with has them all.
    faint = (far.Q != 0) & (np.abs(far.Q) < EPS * EPS * far.norm)
    assert faint.sum() > far.n
    dropped = np.asarray(far.Q) - (
        far.heard if isinstance(far.heard, np.ndarray) else far.heard.toarray()
    )
    np.testing.assert_array_equal(dropped != 0, faint)


@pytest.mark.parametrize("most", [0, 1000])
@pytest.mark.parametrize("a", [1e-3, 1.0, 99.0])
def test_a_scaled_factor_has_the_same_digits(monkeypatch, a, most):
    monkeypatch.setattr(factors, "MAX_LOCKED", most)
    s = spectrum(2.0).structure
    shift, B = 0.3 * a, np.eye(s.n)[:, :4]
    A = a * s.Q + shift * np.eye(s.n)
    plain = dpotrs(dpotrf(A, lower=1)[0], B, lower=1)[0]
    found = factor(s, a, shift, shift)
    assert found.name == "Cholesky"
    np.testing.assert_allclose(found.solve(B), plain, rtol=1e-12)


@pytest.mark.parametrize("size", [1e-300, 1e-20, 1.0, 3e5, 1e300])
def test_the_scale_is_a_power_of_2_that_fits(size):
    root = scale_root(size)
    assert np.frexp(root)[0] == 0.5
    assert np.isfinite(root * size * root)
    assert np.isfinite(root * root)
