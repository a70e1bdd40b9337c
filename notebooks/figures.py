"""Charts of the notebooks, in the colours and hatches of `acapscan report`: readable without colour, each with its
denominator.

A chart that has nothing to show says so instead of drawing axes.
"""

import math

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator

BAR = 0.38  # height of a bar, in inches
WIDTH = 9.0  # width of a figure, in inches
LONGEST = 70  # characters of a name that are shown

INK, SOFT, RULE = "#1b1f24", "#59636e", "#d5dae0"
SOLID = "#1f5f99"
# Face, edge and hatch of the parts of a bar, in their order. Neighbours differ by lightness and by hatch.
FILLS = [
    ("#dbe7f2", SOLID, ""), ("#fbe9c6", "#8a5a00", "///"), (SOLID, SOLID, ""), ("#f6d9d7", "#a4262c", "xxx"),
    ("#e4e6e9", SOFT, "..."), ("#86b3dc", SOLID, "\\\\\\"), ("#8a5a00", "#8a5a00", ""), ("#123a5e", "#123a5e", ""),
]  # fmt: skip
HEAT = LinearSegmentedColormap.from_list("acapscan", ["#ffffff", SOLID])
DARK = 0.7  # of a heat map: text is white from here on

STYLE = {
    "font.family": "sans-serif", "font.size": 10, "text.color": INK, "axes.labelcolor": SOFT, "axes.edgecolor": INK,
    "xtick.color": SOFT, "ytick.color": INK, "ytick.major.size": 0, "hatch.linewidth": 0.8,
}  # fmt: skip
plt.rcParams.update(STYLE)


def shares(counts: pd.DataFrame, title: str, unit: str, missing: str | None = None):
    """Draws a bar a row of counts, each 100 per cent long and divided by the columns.

    Beside a bar stands its denominator, in units; in its parts stand their counts, where there is room. Column missing,
    if named, is what is not known, and is left white. Three or more equal rows are drawn as one.
    """
    place = {column: i for i, column in enumerate(counts.columns)}  # a column looks the same in every chart that has it
    counts = fold(counts.loc[counts.sum(axis=1) > 0, counts.sum() > 0])
    if counts.empty:
        return nothing(title)
    totals = counts.sum(axis=1)
    parts = counts.div(totals, axis=0) * 100
    fig, axes = plt.subplots(figsize=(WIDTH, 1.7 + BAR * len(counts)), layout="constrained")
    left = pd.Series(0.0, index=counts.index)
    for column in counts.columns:
        face, edge, hatch = ("white", INK, "") if column == missing else FILLS[place[column] % len(FILLS)]
        drawn = axes.barh(
            range(len(counts)), parts[column], left=left, height=0.68, color=face, hatch=hatch, edgecolor=edge,
            linewidth=0.8, label=plain(column),
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
    """Draws a bar a row of counts, its length the count in units, with the count at its end.

    Three or more equal rows are drawn as one."""
    counts = fold(counts[counts > 0].to_frame()).iloc[:, 0]
    if counts.empty:
        return nothing(title)
    _, axes = plt.subplots(figsize=(WIDTH, 1.2 + BAR * len(counts)), layout="constrained")
    drawn = axes.barh(range(len(counts)), counts, height=0.68, color=SOLID)
    axes.bar_label(drawn, [f"{n:,}" for n in counts], padding=4)
    axes.set(xlim=(0, counts.max() * 1.12), xlabel=unit)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish(axes, title, [plain(name) for name in counts.index])


def rates(counts: pd.DataFrame, title: str, unit: str):
    """Draws a bar a row, its length the share of column n in column of, with the 95% interval of the share."""
    counts = counts[counts.n > 0]
    if counts.empty:
        return nothing(title)
    share = counts.n / counts.of * 100
    ends = [[100 * end for end in wilson(n, of)] for n, of in zip(counts.n, counts.of)]
    _, axes = plt.subplots(figsize=(WIDTH, 1.2 + BAR * len(counts)), layout="constrained")
    face, edge, _ = FILLS[0]
    axes.barh(range(len(counts)), share, height=0.68, color=face, edgecolor=edge, linewidth=0.8)
    for y, (low, high) in enumerate(ends):
        axes.plot([low, high], [y, y], color=SOLID, linewidth=2)
    axes.plot(share, range(len(counts)), "o", color=SOLID, markersize=5)
    most = max(high for _, high in ends)
    for y, (n, of) in enumerate(zip(counts.n, counts.of)):
        axes.text(ends[y][1] + most * 0.015, y, f"{n:,} of {of:,} ({percent(n, of)})", va="center", fontsize=9)
    axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= 100])
    axes.set(xlim=(0, most * 1.35), xlabel=f"per cent of {unit}; line: 95% interval (Wilson)")
    return finish(axes, title, [plain(name) for name in counts.index])


def heat(share: pd.DataFrame, title: str, unit: str):
    """Draws a grid of shares from 0 to 1, the largest in the strongest colour, each with its number in per cent."""
    most = share.max(axis=None) if share.size else 0
    if not most > 0:
        return nothing(title)
    _, axes = plt.subplots(figsize=(min(WIDTH, 3 + 1.1 * share.shape[1]), 1.6 + BAR * len(share)), layout="constrained")
    axes.imshow(share / most, cmap=HEAT, vmin=0, vmax=1, aspect="auto")
    for y, row in enumerate(share.to_numpy()):
        for x, value in enumerate(row):
            if value == value:  # no number: the crawl has no such site
                axes.text(
                    x, y, digits(value * 100), ha="center", va="center", color="white" if value / most >= DARK else INK
                )
    axes.set_xticks(range(share.shape[1]), [plain(name) for name in share.columns])
    axes.set_xticks([x - 0.5 for x in range(1, share.shape[1])], minor=True)
    axes.set_yticks([y - 0.5 for y in range(1, len(share))], minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="minor", length=0)
    axes.set_xlabel(f"per cent of {unit}")
    return finish(axes, title, [plain(name) for name in share.index])


def fold(counts: pd.DataFrame) -> pd.DataFrame:
    """Puts three or more equal rows together, in the place of the first, under its name and the number of the
    others.
    """
    if counts.empty:
        return counts
    groups: dict[tuple, list] = {}
    for name, row in counts.iterrows():
        groups.setdefault(tuple(row), []).append(name)
    alike = {names[0]: len(names) - 1 for names in groups.values() if len(names) >= 3}
    hidden = {name for names in groups.values() if len(names) >= 3 for name in names[1:]}
    counts = counts[[name not in hidden for name in counts.index]]
    return counts.rename(index={name: f"{name} and {others} more alike" for name, others in alike.items()})


def wilson(n: int, of: int) -> tuple[float, float]:
    """The 95% interval of the share of n in of, by Wilson's score."""
    z, p = 1.959964, n / of
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def percent(n: int, of: int) -> str:
    """A share with a decimal, and with two digits where it is rare: 0.038%."""
    return "100%" if n == of else digits(100 * n / of, least=1) + "%"


def digits(value: float, least: int = 0) -> str:
    """A number with two digits, or more before the point, and at least so many behind it."""
    if value == 0:
        return "0"
    return f"{value:.{max(least, 0 if value >= 9.95 else 1 - math.floor(math.log10(value * 1.0051)))}f}"


def plain(name) -> str:
    """A name as it may stand in a chart. Sites write what they like: matplotlib would read two dollars as a formula."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(name))
    return (text if len(text) <= LONGEST else text[: LONGEST - 1] + "…").replace("$", r"\$")


def finish(axes, title: str, names: list[str]):
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_title(plain(title), loc="left", fontsize=12, fontweight="bold")
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    plt.show()


def nothing(title: str):
    print(f"{title}: these tables have nothing to draw.")
