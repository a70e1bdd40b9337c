"""Charts of the notebooks: bars that can be read without colour, each with its denominator.

A chart tells its parts apart by lightness, hatching and labels. One that has nothing to show says so instead of drawing
axes.
"""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib import colormaps
from matplotlib.ticker import MaxNLocator

BAR = 0.42  # height of a bar, in inches
WIDTH = 9.0  # width of a figure, in inches
HATCHES = ["", "//", "", "..", "", "\\\\", "", "xx"]
LONGEST = 70  # characters of a name that are shown


def shares(counts: pd.DataFrame, title: str, unit: str, missing: str | None = None):
    """Draws a bar a row of counts, each 100 per cent long and divided by the columns.

    Beside a bar stands its denominator, in units; in its parts stand their counts, where there is room. Column missing,
    if named, is what is not known, and is left white.
    """
    place = {
        column: i for i, column in enumerate(counts.columns)
    }  # a column looks the same in every chart that has the same ones
    counts = counts.loc[counts.sum(axis=1) > 0, counts.sum() > 0]
    if counts.empty:
        return nothing(title)
    totals = counts.sum(axis=1)
    parts = counts.div(totals, axis=0) * 100
    fig, axes = plt.subplots(figsize=(WIDTH, 1.7 + BAR * len(counts)), layout="constrained")
    left = pd.Series(0.0, index=counts.index)
    for column in counts.columns:
        i = place[column]
        drawn = axes.barh(
            range(len(counts)), parts[column], left=left, color="white" if column == missing else shade(i, len(place)),
            hatch=HATCHES[i % len(HATCHES)], edgecolor="black", linewidth=0.6, label=plain(column),
        )  # fmt: skip
        texts = [f"{n:,}" if part >= 4 else "" for n, part in zip(counts[column], parts[column])]
        for text in axes.bar_label(drawn, texts, label_type="center", fontsize=8):
            if text.get_text():
                text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})
        left += parts[column]
    axes.set(xlim=(0, 100), xlabel=f"per cent of n {unit}; in the bars: {unit}")
    fig.legend(loc="outside lower center", ncols=min(4, counts.shape[1]), frameon=False)
    return finish(axes, title, [f"{plain(name)}  (n = {total:,})" for name, total in totals.items()])


def bars(counts: pd.Series, title: str, unit: str):
    """Draws a bar a row of counts, its length the count in units, with the count at its end."""
    counts = counts[counts > 0]
    if counts.empty:
        return nothing(title)
    _, axes = plt.subplots(figsize=(WIDTH, 1.2 + BAR * len(counts)), layout="constrained")
    drawn = axes.barh(range(len(counts)), counts, color=shade(1, 3), edgecolor="black", linewidth=0.6)
    axes.bar_label(drawn, [f"{n:,}" for n in counts], padding=4)
    axes.set(xlim=(0, counts.max() * 1.12), xlabel=unit)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(axes, title, [plain(name) for name in counts.index])


def shade(i: int, of: int):
    """The colour of part i: from light to dark, so that it keeps its place when printed in grey."""
    return colormaps["cividis_r"](0.05 + 0.9 * i / max(1, of - 1))


def plain(name) -> str:
    """A name as it may stand in a chart. Sites write what they like: matplotlib would read two dollars as a formula."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(name))
    return (text if len(text) <= LONGEST else text[: LONGEST - 1] + "…").replace("$", r"\$")


def finish(axes, title: str, names: list[str]):
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_title(plain(title), loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    plt.show()


def nothing(title: str):
    print(f"{title}: these tables have nothing to draw.")
