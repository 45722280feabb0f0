"""What docstrings say of an estimator's parameters and attributes, by what the estimator has."""

from __future__ import annotations

from collections.abc import Set

from mavr.estimators.automatic import FINE, SHAPE
from mavr.graphs.apart import LEAST_WEIGHT
from mavr.settings import LAPLACIANS, SIMILARITIES

# What stands for a value, beside numbers: for an estimator that has the parameter on the right.
NAMES: dict[str, tuple[tuple[str, ...], str]] = {
    "n_neighbors": (("auto",), ""),
    "width": (("auto",), ""),
    "laplacian_power": (("auto",), ""),
    "gamma": (("auto", "degree"), ""),
    "tau": (("auto",), ""),
    "class_prior": (("auto",), "directions"),
}

TYPES = (
    ("similarity", "", "str or callable"),
    ("laplacian", "", f"{{{', '.join(repr(name) for name in LAPLACIANS)}}}"),
    ("tau", "class_relation", 'float, "auto" or None'),
    ("class_prior", "classes", '(c,) array, mapping, Series, "auto", "labels" or None'),
    ("class_prior", "!classes", '(c,) array, "labels" or None'),
    ("class_relation", "classes", "(c, c) array or None"),
    ("class_relation", "!classes", '(c, c) array, "co-occurrence" or None'),
)

# (parameter, what the estimator has, or with ! lacks, sentence), in the order of reading.
SENTENCES = (
    (
        "n_neighbors",
        "",
        "Neighbours of each point; with fewer points, all of them. More join the graph, fewer "
        'follow finer shapes. "auto" is 12.',
    ),
    (
        "n_neighbors",
        "laplacian_power",
        'But with "knn", `width="auto"`, `laplacian_power="auto"` and at most 5,000 points that '
        "have four dimensions or fewer, as their neighbours see them, it is 20.",
    ),
    (
        "width",
        "",
        "Width of a self-tuned similarity in units of the local scales; smaller keeps dense and "
        'sparse regions further apart. "auto" is 0.3.',
    ),
    (
        "width",
        "laplacian_power",
        'But with "knn", `laplacian_power="auto"` and at most 5,000 points it is 0.2 where '
        '`n_neighbors="auto"` is 20, and 0.5 where the points have more than four dimensions.',
    ),
    ("width", "directions", "With the latter it is 0.3 if that has fewer held-out labels wrong."),
    (
        "laplacian_power",
        "",
        "Q = L^p. Above 1, responses are smooth in a stricter sense, and nothing spikes at a "
        'label. "auto" is 2 where `width="auto"` is 0.5, else 1.',
    ),
    (
        "gamma",
        "",
        "Weight of the volume term, which charges for responses (the scores of the classes at a "
        "point) that differ between neighbours: larger means smoother responses. "
        f'"auto" is {FINE.reach:g} n / l for n points, l of them labelled.',
    ),
    ("gamma", "laplacian_power", f'It is {SHAPE.reach:g} n / l where `width="auto"` is 0.2.'),
    (
        "gamma",
        "laplacian",
        '"degree" is (n / l)^1.5 / (100 d), d the mean degree of a point, which is the sum of its '
        "similarities, or 1 with the normalized Laplacian: for hundreds of points per label.",
    ),
    ("gamma", "!laplacian", '"degree" is (n / l)^1.5 / 100, for hundreds of points per label.'),
    ("gamma", "", 'With fewer use "auto".'),
    (
        "gamma",
        "laplacian_power",
        "Where Q is a power p > 1 of an unnormalized Laplacian, d^p divides both.",
    ),
    ("tau", "", 'Norm of the responses. "auto" is the root of the number of labelled points.'),
    ("tau", "class_relation", "None leaves them unconstrained."),
    (
        "balance",
        "",
        "Pulls the total responses of the classes to their proportions, so that with few labels no "
        f'class takes everything. With "knn" the strongest edge of each point then weighs '
        f"{LEAST_WEIGHT:g} or more: else this term alone would decide the class of a point that "
        "lies apart.",
    ),
    ("class_prior", "", "Proportions that the balance term pulls the classes' totals to,"),
    (
        "class_prior",
        "classes",
        "by class in a mapping or a pandas Series, else in the order of `classes` if that is "
        "given, else of `classes_`.",
    ),
    ("class_prior", "!classes", "in the order of the columns of Y."),
    (
        "class_prior",
        "",
        'None is equal proportions; "labels" estimates them from y: those of the labels, shrunk '
        "towards equal ones as far as chance explains that they differ; equal ones if a class has "
        "no label.",
    ),
    (
        "class_prior",
        "directions",
        '"auto" is "labels" unless all classes have equally many labels, at least two, on at most '
        "5,000 points without `tau` or `class_relation`: then the proportions that a first answer "
        "finds, shrunk towards equal ones the more the fewer labels there are and the fewer of "
        "them it finds when they are held out; each label weighs as much as its class.",
    ),
    ("class_relation", "", "P, symmetric positive definite; None is the identity."),
    (
        "class_relation",
        "!classes",
        '"co-occurrence" takes it from the known labels, see `mavr.multilabel`.',
    ),
    (
        "class_relation",
        "",
        "A positive entry off the diagonal pushes its two classes apart: it charges for responses "
        "that vary together over the graph. A negative one lets them attract each other.",
    ),
    (
        "class_relation",
        "classes",
        "Its rows are in the order of `classes` if that is given, else of `classes_`.",
    ),
    ("class_relation", "!classes", "Its rows are in the order of the columns of Y."),
)

# (attribute, what the estimator has or lacks, type, meaning) of all that solve for responses.
ATTRIBUTES = (
    ("classes_", "classes", "(c,) array", "The classes, sorted."),
    (
        "transduction_",
        "classes",
        "(n,) array",
        'Classes of the training points, -1 (in arrays of strings "-1") where no label reaches.',
    ),
    (
        "label_distributions_",
        "classes",
        "(n, c) array",
        "Shares of the classes at the training points.",
    ),
    ("n_neighbors_", "", "int", "What was used: at most n - 1."),
    ("width_", "", "float", "What was used."),
    ("laplacian_power_", "laplacian_power", "int", "What was used."),
    (
        "dimension_",
        "",
        "float or None",
        "Of the points as their neighbours see them, if something depends on it.",
    ),
    ("response_", "", "(n, c) array", "The responses H, the scores of the classes at the points."),
    ("rho_", "", "float", "Multiplier of the constraint, -1 without one."),
    ("gamma_", "gamma", "float", "The gamma that was used."),
    ("solution_", "", "Solution", "All that the solver says."),
)


def has(needs: str, names: Set[str]) -> bool:
    """Whether an estimator with parameters of these names has, or with ! lacks, what is needed."""
    return (needs[1:] not in names) if needs.startswith("!") else not needs or needs in names


def names_of(parameter: str, names: Set[str]) -> tuple[str, ...]:
    """What stands for a value of a parameter."""
    found, needs = NAMES.get(parameter, ((), ""))
    return found if has(needs, names) else ()


def help_of(parameter: str, names: Set[str]) -> str:
    """Sentences on a parameter; "" if its declaration says all."""
    if parameter == "similarity":
        return _similarity()
    said = [text for name, needs, text in SENTENCES if name == parameter and has(needs, names)]
    return " ".join(said)


def type_of(parameter: str, names: Set[str]) -> str:
    """The type of a parameter in words; "" if its declaration says it."""
    found = [text for name, needs, text in TYPES if name == parameter and has(needs, names)]
    return found[0] if found else ""


def _similarity() -> str:
    known = "; ".join(f'"{s.name}": {s.help.rstrip(".")}' for s in SIMILARITIES.values())
    return (
        'What makes two points neighbours on the graph: a name, "precomputed", or a function of '
        f"two sets of points, as in `sklearn.metrics.pairwise`. The names are {known}."
    )


def attributes(names: Set[str]) -> str:
    """The entries of a docstring's Attributes section, indented as a class has it."""
    lines = []
    for name, needs, type, meaning in ATTRIBUTES:
        if has(needs, names):
            lines += [f"{name} : {type}", f"    {meaning}"]
    return "\n    ".join(lines)
