"""Histograms as text."""


def histogram(values, bounds, unit="ms"):
    """Prints how many values lie up to each bound, above the one before, as rows of a Markdown table. Empty rows at both ends are
    left out."""
    bounds = list(bounds)
    rows, below = [], 0
    for bound in [*bounds, float("inf")]:
        number = sum(value <= bound for value in values) - below
        below += number
        rows.append((f"≤ {bound:g}" if bound != float("inf") else f"> {bounds[-1]:g}", number))
    while rows and not rows[0][1]:
        rows.pop(0)
    while rows and not rows[-1][1]:
        rows.pop()
    print(f"| {unit} | number | |\n|---|---|---|")
    for label, number in rows:
        print(f"| {label} | {number} | {'█' * round(40 * number / len(values))} |")
    print()
