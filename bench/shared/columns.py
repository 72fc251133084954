"""Lays out rows of text in columns."""


def table(rows: list[tuple[str, ...]], numbers: range = range(0)) -> str:
    """Columns padded to their widest cell; those in `numbers` to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.rjust(widths[at]) if at in numbers else cell.ljust(widths[at]) for at, cell in enumerate(row)]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)
