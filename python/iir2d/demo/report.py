# SPDX-License-Identifier: MIT
"""The report: every experiment small, as Markdown and as one HTML file that needs no other."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from typing import Any

from . import convolutions, deblur, denoise, learn, options, output, pictures
from .frameworks import Framework
from .results import Claim, Result, Table

# What there is to see of each experiment: its title, its tables, its pictures.
_SECTIONS: tuple[tuple[str, list[str], list[str]], ...] = (
    ("Three filters beside separable convolutions", ["bench_vs_conv"], ["bench_vs_conv"]),
    ("How far each adjoint is from the transpose", ["adjoint_errors"], []),
    ("Deblurring by conjugate gradients", [], ["deblurred", "deblur"]),
    ("Learning a filter", ["learn_filter"], ["learn_filter"]),
    ("Denoising", ["images_summary"], ["psnr_gain_bar", "denoised", "loss_curves", "train_time_bar"]),
)
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2328; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid #d0d7de; padding-bottom: .3rem; }
div.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid #d0d7de; text-align: left; white-space: nowrap; }
td.number { text-align: right; } td.claim { white-space: normal; }
td.yes { color: #1a7f37; font-weight: 600; } td.no { color: #cf222e; font-weight: 600; }
img { max-width: 100%; height: auto; margin: 1rem 0; }
"""


def measure(frameworks: Sequence[Framework], seed: int, quick: bool) -> Result:
    """Runs every experiment small."""
    side = 512 if quick else 1024
    bench_options = options.defaults("bench-vs-conv", seed=seed, height=side, width=side, iters=7)
    result = convolutions.bench(frameworks, bench_options)
    result.tables["adjoint_errors"] = deblur.adjoint_errors(seed)
    exact, wrong = (max(result.tables["adjoint_errors"].column(name)) for name in
                    ("error_exact", "error_filter_as_adjoint"))  # fmt: skip
    result.claims.append(Claim(
        "adjoint: for each filter the exact one is the transpose within 1e-12; the filter itself is not",
        f"at most {exact:.1e}, and {wrong:.2f}", exact <= 1e-12 < wrong,
    ))  # fmt: skip
    settings = options.defaults("images", seed=seed, steps=80 if quick else 120, batch=4 if quick else 8)
    split = pictures.from_folder(None, settings.channels, settings.size, seed)
    result.add(deblur.deblur(pictures.centre(split.shown.pixels, 96), seed))
    result.add(learn.learn_filter(frameworks, seed))
    result.add(denoise.compare("images", frameworks, split, settings))
    return result


def claims_table(claims: Sequence[Claim]) -> Table:
    """Returns the claims as rows."""
    return Table(["claim", "figure", "held"], [[c.sentence, c.figure, "yes" if c.held else "no"] for c in claims])


def markdown(result: Result, found: Mapping[str, Any], drawn: Mapping[str, bytes]) -> str:
    """Returns the report as Markdown; its pictures lie beside it."""
    lines = ["# iir2d: demo report", "", *(f"- {line}" for line in _ran_on(found)), "", "## Claims", ""]
    lines += _markdown_table(claims_table(result.claims))
    for title, tables, names in _SECTIONS:
        lines += ["", f"## {title}", ""]
        for name in tables:
            lines += [*_markdown_table(result.tables[name]), ""]
        lines += [f"![{name.replace('_', ' ')}]({name}.png)\n" for name in names if name in drawn]
    lines += ["", "## Notes", "", *(f"- {note}" for note in result.notes), ""]
    return "\n".join(lines)


def page(result: Result, found: Mapping[str, Any], drawn: Mapping[str, bytes]) -> str:
    """Returns the report as one HTML file, with its pictures inside."""
    body = ["<h1>iir2d: demo report</h1>", "<ul>", *(f"<li>{html.escape(line)}</li>" for line in _ran_on(found)), "</ul>"]
    body += ["<h2>Claims</h2>", _html_table(claims_table(result.claims))]
    for title, tables, names in _SECTIONS:
        body.append(f"<h2>{html.escape(title)}</h2>")
        body += [_html_table(result.tables[name]) for name in tables]
        for name in names:
            if name in drawn:
                data = base64.b64encode(drawn[name]).decode()
                body.append(f'<img alt="{name.replace("_", " ")}" src="data:image/png;base64,{data}">')
    body += ["<h2>Notes</h2>", *(f"<p>{html.escape(note)}</p>" for note in result.notes)]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>iir2d: demo report</title>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


def _ran_on(found: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{f['name']} on {f['device']} ({f['why']}), {f['threads']} threads, one call of filter 1 on 64x64: {f['call_us']} us"
        for f in found["frameworks"]
    ]
    lines.append(f"{found['platform']}, {found['processors']} processors, Python {found['python']}")
    lines.append(", ".join(f"{name} {version}" for name, version in output.versions().items()))
    return lines


def _markdown_table(table: Table) -> list[str]:
    rows = [table.columns, ["---"] * len(table.columns), *([output.shown(v) for v in row] for row in table.rows)]
    return ["| " + " | ".join(row) + " |" for row in rows]


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.columns)
    body = "\n".join("<tr>" + "".join(_cell(n, v) for n, v in zip(table.columns, row, strict=True)) + "</tr>" for row in table.rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def _cell(column: str, value: Any) -> str:
    kind = "number" if isinstance(value, (int, float)) else str(value) if column == "held" else "claim" if column == "claim" else ""
    return f'<td class="{kind}">{html.escape(output.shown(value))}</td>'
