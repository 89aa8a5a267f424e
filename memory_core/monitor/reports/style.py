"""The style sheet of a report: colours of both themes, sizes of all widths, and paper."""

from __future__ import annotations

STYLE = """\
:root { color-scheme: light dark; --ground: light-dark(#fff, #15181d);
  --ink: light-dark(#1c2430, #e4e8ee); --muted: light-dark(#586272, #a0a9b6);
  --line: light-dark(#dde1e7, #323842); --soft: light-dark(#f6f7f9, #1c2026);
  --warn: light-dark(#8f5700, #f0b95c); --warn-soft: light-dark(#fdf3e0, #3a2f1b);
  --mono: ui-monospace, Menlo, Consolas, "Liberation Mono", monospace; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 62rem; background: var(--ground);
  color: var(--ink); font: .9375rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: .95rem; margin: 0 0 .5rem; }
p { margin: 0 0 .75rem; max-width: 75ch; }
.muted, .muted code { color: var(--muted); }
code { font-family: var(--mono); font-size: .875em; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1px;
  margin: 1.5rem 0 0; background: var(--line); border: 1px solid var(--line);
  border-radius: 8px; overflow: hidden; }
.tiles div { background: var(--ground); padding: .75rem 1rem; }
.tiles dt { color: var(--muted); font-size: .8125rem; }
.tiles dd { margin: 0; font-size: 1.5rem; font-weight: 600; line-height: 1.3;
  font-variant-numeric: tabular-nums; }
.tiles dd small { display: block; color: var(--muted); font-size: .8125rem; font-weight: 400; }
figure { margin: 0; }
.notices { margin: 1.25rem 0 0; padding: .75rem 1rem .75rem 2rem; border-radius: 8px;
  background: var(--warn-soft); }
.notices li { margin: .15rem 0; overflow-wrap: anywhere; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  gap: 1.75rem 2.5rem; }
.columns > * { min-width: 0; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--muted); font-size: .8125rem; font-weight: 500; white-space: nowrap;
  vertical-align: bottom; }
tbody th { font-weight: 600; }
tfoot th, tfoot td { border-bottom: 0; border-top: 1px solid var(--muted); font-weight: 600; }
.n { text-align: right; white-space: nowrap; }
.any { overflow-wrap: anywhere; min-width: 12rem; }
.any small { display: block; color: var(--muted); font-size: .8125rem; }
.size { width: 8rem; min-width: 6.5rem; }
.size .sharebar { margin-top: .2rem; }
.scroll + p { margin: .5rem 0 0; font-size: .8125rem; }
figure + .scroll { margin-top: 1rem; }
.change { white-space: nowrap; font-size: .8125rem; }
.n + :not(.n) { padding-left: .75rem; }
@media (max-width: 46rem) {
  .tiles { grid-template-columns: 1fr 1fr; }
  .any { min-width: 8.5rem; } .size { min-width: 4.5rem; }
}
.plus { color: var(--chart-1); } .check { color: var(--chart-2); } .minus { color: var(--chart-3); }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--muted); font-size: .8125rem; }
@media print {
  :root { color-scheme: light; }
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  h2 { break-after: avoid; } tr, .tiles, figure, .columns > * { break-inside: avoid; }
  .scroll { overflow: visible; } .columns { grid-template-columns: 1fr 1fr; }
  svg, .tiles, .notices { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
