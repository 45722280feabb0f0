"""Volumes and Theorem 1 against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import mavr
from mavr import relations
from mavr.theory import kronecker, volume
from tests.theory_problems import random_form

# The large volume principle


def area_by_integration(Q, first):
    """Area of the ellipse between two angles: half the integral of r^2, r = 1 / sqrt(V)."""

    def half_square(a):
        h = np.array([np.cos(a), np.sin(a)])
        return 0.5 / (h @ Q @ h)

    return quad(half_square, first, first + np.pi / 2, epsabs=1e-12, epsrel=1e-12)[0]


@pytest.mark.parametrize("angle", [-1.2, 0.0, 0.3, np.pi / 4, 1.5])
@pytest.mark.parametrize("eigenvalues", [(0.25, 4.0), (1.0, 1.0), (3.0, 0.3)])
def test_areas_of_quadrants_are_those_of_integration(eigenvalues, angle):
    Q = volume.form(eigenvalues, volume.rotation(angle))
    areas = volume.quadrant_areas(Q)
    for k in range(4):
        assert areas[k] == pytest.approx(area_by_integration(Q, k * np.pi / 2), rel=1e-9)
    assert areas.sum() == pytest.approx(np.pi / np.sqrt(np.prod(eigenvalues)))
    assert areas.sum() == pytest.approx(volume.total_volume(Q))


def test_quadrants_are_told_by_signs():
    for k, (s, t) in enumerate(volume.QUADRANTS):
        assert volume.quadrant_of([0.3 * s, 2.0 * t]) == k


def test_the_class_of_the_long_axis_has_the_larger_area():
    Q = volume.form([0.3, 2.0], volume.rotation(0.6))
    areas = volume.quadrant_areas(Q)
    assert areas[volume.quadrant_of(volume.rotation(0.6)[:, 0])] == areas.max()


def test_volume_is_the_weighted_sum_of_squared_cosines():
    rng = np.random.default_rng(0)
    for n in (2, 3, 6):
        Q = random_form(n, rng)
        h = rng.standard_normal(n)
        lam, V = np.linalg.eigh(Q)
        cos = V.T @ h / np.linalg.norm(h)
        assert volume.volume_of(Q, h) == pytest.approx((lam * cos**2).sum())
        assert volume.volume_of(Q, h) == pytest.approx(volume.volume_of(Q, 1e-200 * h))
        assert (cos**2).sum() == pytest.approx(1)
        border = h / np.linalg.norm(h) * volume.reach(Q, h)
        assert border @ Q @ border == pytest.approx(1)


def test_octants_by_solid_angle_are_those_of_integration():
    """Volume over an octant: the integral of r^3 / 3 over its directions."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        Q = random_form(3, rng)
        exact = volume.octant_volumes(Q)
        # Gauss-Legendre in both angles: the integrand is smooth.
        x, w = np.polynomial.legendre.leggauss(60)
        a, wa = np.pi / 4 * (x + 1), np.pi / 4 * w
        polar, azimuth = np.meshgrid(a, a, indexing="ij")
        weight = np.outer(wa, wa) * np.sin(polar)
        u = np.stack(
            [np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)], -1
        )
        for s, found in zip(volume.signs(3), exact, strict=True):
            form = np.einsum("...i,ij,...j", u * s, Q, u * s)
            assert found == pytest.approx((weight * form**-1.5).sum() / 3, rel=1e-9)
        assert exact.sum() == pytest.approx(volume.total_volume(Q))


def test_thrown_points_lie_in_the_ellipsoid_and_estimate_its_octants():
    Q = volume.form([0.3, 1.0, 3.0], volume.rotation_3d(0.7, 0.5))
    thrown = volume.sample(Q, 40_000, seed=0)
    inside = np.einsum("ki,ij,kj->k", thrown.points, Q, thrown.points)
    assert inside.max() <= 1 + 1e-12
    # Uniform: the share within the ellipsoid of half the size is 1/8.
    assert (inside <= 0.25).mean() == pytest.approx(1 / 8, abs=4 * np.sqrt(7 / 64 / 40_000))
    assert (np.abs(thrown.volumes - volume.octant_volumes(Q)) <= 4.5 * thrown.errors).all()
    assert (np.sign(thrown.points) == volume.signs(3)[thrown.index]).all()


def test_many_classes_are_never_hit_in_twelve_dimensions():
    thrown = volume.sample(volume.chain(12), 5000, seed=0)
    assert thrown.empty == 2**12 - len(np.unique(thrown.index)) > 2**11


# Theorem 1


@pytest.mark.parametrize("name", ["P1", "P4", "P5"])
@pytest.mark.parametrize("graph", list(kronecker.GRAPHS))
def test_theorem_1_the_spectrum_is_one_of_products(name, graph):
    P, Q = np.array(relations.PAPER[name]), np.asarray(mavr.laplacian(kronecker.GRAPHS[graph](5)))
    product = kronecker.product(P, Q)
    c, n = len(P), 5
    for j in range(c):
        for k in range(c):
            block = product.K[j * n : (j + 1) * n, k * n : (k + 1) * n]
            assert (block == P[j, k] * Q).all()
    pairs = sorted(m * lam for m in np.linalg.eigvalsh(P) for lam in np.linalg.eigvalsh(Q))
    np.testing.assert_allclose(product.eigenvalues, pairs, atol=1e-13)
    assert product.mismatch < 1e-13
    vectors = np.kron(np.linalg.eigh(P)[1], np.linalg.eigh(Q)[1])
    moved = vectors * product.products.ravel()
    np.testing.assert_allclose(product.K @ vectors, moved, atol=1e-13)
    H = np.random.default_rng(2).standard_normal((n, c))
    by_trace, by_vector = kronecker.volume_both_ways(P, Q, H)
    direct = sum(P[j, k] * H[:, j] @ Q @ H[:, k] for j in range(c) for k in range(c)) / (H**2).sum()
    assert by_trace == pytest.approx(direct)
    assert by_vector == pytest.approx(direct)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_two_opposite_classes_have_the_binary_volume(n):
    rng = np.random.default_rng(n)
    Q, h = random_form(n, rng), rng.standard_normal(n)
    H = kronecker.opposite(h)
    assert (H.sum(axis=1) == 0).all()
    binary = h @ Q @ h / (h @ h)
    assert kronecker.volume_both_ways(np.eye(2), Q, H)[0] == pytest.approx(binary)
    # Another P scales it; another sum changes it.
    for p in (-0.4, 0.7):
        found = kronecker.volume_both_ways(kronecker.two_classes(p), Q, H)[0]
        assert found == pytest.approx((1 - p) * binary)
    if n > 1:
        other = kronecker.opposite(h, 3 * np.linalg.eigh(Q)[1][:, -1])
        assert abs(kronecker.volume_both_ways(np.eye(2), Q, other)[0] - binary) > 1e-3
