"""What differs from the paper, each with its number, a quotation and, where there is one, a button
that opens its demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from lab.theory.accuracy import FAILS_AT_TAU, FAILS_FREE, MEAN_OF_MAXIMUM, SQUARE_ROOT
from lab.theory.parts import key, put


@dataclass(frozen=True)
class Erratum:
    """where : with the number in the paper; section, values : what the button opens."""

    where: str
    printed: str
    instead: str
    section: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


ERRATA = {
    "shortcut": Erratum(
        "Section 4.2, the case P = I",
        r"“Let $\boldsymbol z=V_Q^\top Y\mathbf 1_c$”",
        r"$z_k^2$ is the squared length of row k of $V_Q^\top Y$. Sums let classes cancel, and "
        "‖H‖ misses τ.",
        "pitfalls",
        {"pitfall": "shortcut", "sigma.wide": 3.0, "tau.short": 1.0},
    ),
    "recovery": Erratum(
        "Eq. (15) and Algorithm 1, step 4",
        r"$(V_P\otimes V_Q)(\gamma\Lambda_{PQ}-\rho I_{nc})^{-1}\mathrm{vec}(V_Q^\top YV_P)$",
        "Right on paper. In floating point, responses below 10⁻¹⁶ of the largest are noise. "
        "Solve by elimination.",
        "pitfalls",
        {"pitfall": "recovery", "sigma": 0.3, "seed": 0},
    ),
    "hard": Erratum(
        "The sentence before Theorem 2",
        "“the smallest root of g(ρ) determines a unique **h** so that (**h**, ρ) is the globally "
        "optimal solution”",
        "Theorem 2 itself is right. But if $z_1=0$ and τ is large, the root of Eq. (17) lies above "
        r"$\gamma\lambda_1$ and is no minimum; $\rho=\gamma\lambda_1$ is, with two answers.",
        "hard",
        {"z1": 0.0, "radius": 1.5},
    ),
    "derivative": Erratum(
        "Proof of Theorem 2",
        r"$g'(\rho)=\sum_{k=k_0}^{nc}\frac{2z_k^2}{(\gamma\lambda_{PQ,k}-\rho)^3}-\tau^2$, “Hence, "
        r"$g'(\rho)>0$”",
        r"The constant $-\tau^2$ has no place in a derivative. With it the sum is negative far to "
        "the left of the pole, and the conclusion does not follow; without it, it does.",
        "root",
    ),
    "losses": Erratum(
        "Section 4.1, losses 1 and 3",
        "“the first loss function is equivalent to them”",
        "Only after γ is doubled: loss 3 at γ has the minimum of loss 1 at 2γ. Losses 3 and 4 are "
        "the same.",
        "losses",
    ),
    "unit_C": Erratum(
        "Section 4.3, before Theorem 3",
        r"“for unconstrained MAVR, there must be $C_{\gamma,\tau}>1$ since "
        r"$\gamma\lambda_{PQ,1}>0$”",
        r"$C=1+\gamma\lambda_1$, which is 1 for a graph Laplacian: there $\lambda_1=0$.",
        "stability",
    ),
    "free": Erratum(
        "Theorem 4, Eq. (20)",
        r"$(C_h/4)\|H^*\|^2$",
        r"$(\gamma C_h/4)\|H^*\|^2$. The proof takes γ out of $(\gamma\Lambda+I)^{-1}$ as "
        r"$1/(\gamma+1)$. For γ = 99 the printed term is up to 99 times too small.",
        "accuracy",
        FAILS_FREE,
    ),
    "first": Erratum(
        "Theorem 4, Eq. (19), first term",
        r"$(\sqrt{C_h}\,\gamma\lambda_{PQ,1}/C_{\gamma,\tau})\|H^*\|$, which is 0 for every "
        "Laplacian",
        r"$\sqrt{C_h}/(2\sqrt{C/\gamma-\lambda_1})\,\|H^*\|$ unless $C/\gamma\le2\lambda_1$: the "
        r"largest $\sqrt\lambda/(\lambda-\rho/\gamma)$ is not at $\lambda_1$.",
        "accuracy",
        FAILS_AT_TAU,
    ),
    "square_root": Erratum(
        "The same term",
        r"$\gamma\lambda_{PQ,1}/C_{\gamma,\tau}$",
        r"$\gamma\sqrt{\lambda_1}/C$: even where the largest value is at $\lambda_1$, the root is "
        "missing.",
        "accuracy",
        SQUARE_ROOT,
    ),
    "max": Erratum(
        "Theorem 4, Eq. (19), second term, and its proof",
        r"$\mathbb E\max\{-\rho-1,\sup_\rho\rho+1\}\le$ "
        r"$\max\{\mathbb E\|\boldsymbol y\|_2/\tau-\gamma\lambda_{PQ,1}-1,\,\dots\}$",
        "The mean of a maximum is at least the maximum of the means, and may be larger, also than "
        r"the printed $\max\{\sqrt{\tilde l}/\tau-\gamma\lambda_1-1,\dots\}$.",
        "accuracy",
        MEAN_OF_MAXIMUM,
    ),
    "variance": Erratum(
        "Section 4.3, noise",
        r"“the variance of them is $\sigma_l$ or $\sigma_u$”; then "
        r"$\tilde l\sigma_l^2+\tilde u\sigma_u^2$ in Eqs. (19) and (20)",
        r"$\sigma_l$ and $\sigma_u$ are standard deviations.",
    ),
    "smallest": Erratum(
        "Section 4.3, after $C_h$",
        r"“even if $C_h/\gamma$ is the smallest eigenvalue of $P\otimes Q$”",
        r"$C_h$ bounds $V(H^*)\ge\lambda_1$, without γ: it is $C_h$ that may be the smallest "
        "eigenvalue.",
    ),
    "ties": Erratum(
        "Figure 2, Data 2 to 5",
        "Every unlabelled group in a colour of its own",
        "If the label is on the first row of P4, P5 or P6, P treats unlabelled classes alike: "
        "their columns of H are equal, and the colours rest on rounding. The text does not name "
        "the row.",
        "pitfalls",
        {"pitfall": "ties"},
    ),
}


def show(name: str) -> None:
    """Open a demonstration; for callbacks."""
    erratum = ERRATA[name]
    put({"section": erratum.section, **erratum.values})


def draw() -> None:
    st.markdown("## What differs from the paper")
    st.markdown(
        "The method stands. These places of the text need care. Numbers are those of arXiv "
        "1402.0288; each button opens a live demonstration, and each claim is checked by a test."
    )
    for name, e in ERRATA.items():
        columns = st.columns([1.25, 2, 3, 0.9], gap="medium", vertical_alignment="center")
        columns[0].markdown(f"**{e.where}**")
        columns[1].markdown(f":gray[printed] {e.printed}")
        columns[2].markdown(f":gray[instead] {e.instead}")
        if e.section:
            columns[3].button(
                "Show",
                key=key(f"show.{name}"),
                icon=":material/play_circle:",
                help=f"Open the demonstration: {e.where}",
                on_click=show,
                args=(name,),
                width="stretch",
            )
    st.markdown(
        "**One bound can be sharper.** Of the two terms of Eq. (18), which bound the change of the "
        "constrained responses, only the first is needed; see *Stability*."
    )
