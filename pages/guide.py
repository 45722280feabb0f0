"""Guide: how to read the pictures, the notation, what differs from the paper."""

from __future__ import annotations

import streamlit as st

from lab.entry import require_app

require_app()

READ = """
#### The idea in five sentences

You have many points and a few labels. Points that are alike are joined to a graph. Every point gets one
**response** per class; its class is the largest. Responses should fit the labels, and neighbours on the
graph should respond alike: how smooth they are is measured by a *volume*. MAVR minimises misfit plus
γ times roughness while the total size of the responses is held at τ; LGC, its best-known relative, leaves that
size free.

#### Reading a picture

| you see | it means |
|---|---|
| a large outlined mark | a point that you labelled |
| colour and shape | the predicted class; every class has both, for colour-blind eyes |
| a pale mark | the best and the second class are close |
| a dark ring | the class is wrong (only where the truth is known) |
| a hatched circle | **tied**: the two best classes differ by less than the solver's error bound; no class is claimed |
| an empty grey circle | **unreached**: no label in that part of the graph; no class is claimed |
| shading behind the points | what the method would say of a new point there |

The error is the share of unlabelled points that are wrong; tied and unreached points count as wrong.

#### Working with it

Click a point to label it, again to erase. Drag a box, use the lasso, right-click to clear, wheel to zoom. Arrow keys
move between points, Enter labels, 1–9 choose the class, Ctrl-Z undoes. The address in your browser is the picture:
copy it, and whoever opens it sees the same.
"""

NOTATION = """
| symbol | word | meaning |
|---|---|---|
| n, c, l | | points, classes, labelled points |
| W | similarity | how alike two points are |
| Q | Laplacian | roughness on the graph: hᵀQh is small if h varies slowly along edges |
| P | class relation | how the responses of two classes may vary together; I: unrelated |
| Y | labels | 1 has the class, −1 has it not, 0 unknown |
| H | responses | what is solved for |
| γ | smoothness | weight of the volume term |
| τ | norm | the size of H; shown as a multiple of √l |
| γ′ | balance | weight of the class-balance term |
| ρ | multiplier | of the norm constraint; −1 without it |
| α | effective α | γ/(γ − ρ): with P = I and no balance, LGC with this α predicts the same |
| V(H) | volume | tr(HᵀQHP)/‖H‖² |
"""

DIFFERS = """
The paper is Niu, Dai, du Plessis and Sugiyama, *Transductive Learning with Multi-class Volume Approximation*
(arXiv 1402.0288, ICML 2014). Where it and the mathematics disagree, we follow the mathematics:

1. **Responses by eigenvectors give wrong labels.** On 3circles many true responses are 10⁻²⁰ or less, and an
   eigenvector expansion leaves noise of 10⁻¹⁶. We use it to find ρ and to answer where its error bound settles every
   class; elsewhere elimination, which keeps each entry relatively accurate.
2. **The shortcut for P = I** should use the row norms of VᵀY, not its row sums.
3. **The hard case.** If the labels miss the lowest eigenvectors of Q, the root may not exist; then ρ is the pole and
   the answer is not unique. It has its own status. It cannot happen for a Laplacian with positive labels.
4. **Ties.** In Data 2–5 of the serendipity figure P treats several classes without labels alike, so their responses
   are equal and the printed colours rest on rounding. We say so, and offer to split the tie by clustering.
5. **What finds an unknown class.** With every class but one labelled, it is the class-balance term that finds the
   last one on Data 3–5: with balance 1, P = I does as well as P5 or P6, and with balance 0 neither does. P decides on Data 1,
   where balance is 0.
6. **γ and τ are one knob** while balance is 0: only γτ moves the direction of H.
7. **Without balance few labels collapse**: with one label per class on many points, one class tends to take
   everything.
8. **Two bounds of Theorem 4 are too small as printed.** The Theory page shows the printed ones, corrected ones and
   measured values.
9. **Isolated points** have Lᵢᵢ = 0 in both Laplacians, so that every component of the graph has one zero eigenvalue.
10. **Beyond τ = √l·e¹²** the printed MAVR curves of the 3circles figure lie lower than ours. Two independent exact
    methods agree with each other there.
"""

st.title("Guide", anchor=False)
read, notation, differs = st.tabs(["How to read it", "Notation", "What differs from the paper"])
read.markdown(READ)
notation.markdown(NOTATION)
differs.markdown(DIFFERS)
