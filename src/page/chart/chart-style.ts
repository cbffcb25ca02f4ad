// Styles of charts, in the colours of the page.

/** Part of the stylesheet of a page with charts. `--raised` is the ground that charts stand on. */
export const CHART_STYLE = `
.chart{display:block;width:100%;overflow:visible}
.chart .plot{x:48px;width:calc(100% - 48px);overflow:visible}
.chart .free{overflow:visible}
.chart .axis text{fill:var(--quiet);font:12px var(--sans);font-variant-numeric:tabular-nums}
.chart .halo{paint-order:stroke;stroke:var(--raised,var(--paper));stroke-width:4px;stroke-linejoin:round}
.chart .grid,.chart .base{stroke:var(--line);stroke-width:1;shape-rendering:crispEdges}
.chart .base{stroke:var(--edge,var(--quiet))}
.chart path,.spark path{fill:none;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke;
stroke-linejoin:round;stroke-linecap:round}
.chart .strong{stroke-width:2.5}
.chart .band{fill:var(--accent);fill-opacity:.13;stroke:none}
.chart .edge{stroke-width:1;stroke-opacity:.45}
.chart .second{stroke:var(--rental);stroke-width:1.75;stroke-dasharray:5 4;stroke-linecap:butt}
.chart .square{fill:var(--rental)}
.chart .dot,.spark .dot{fill:var(--accent)}
.chart .up{fill:var(--accent)}
.chart .down{fill:var(--sale);fill-opacity:.75}
.chart .bin{fill:var(--accent);fill-opacity:.75}
.chart .middle{fill:var(--accent);fill-opacity:.1}
.chart .median{stroke:var(--ink);stroke-width:1.5}
.chart .mark{fill:var(--ink);font:600 12px var(--sans);font-variant-numeric:tabular-nums}
.spark{display:block;overflow:visible}
.spark path{stroke-width:1.5}
.cell-bar{display:inline-block;vertical-align:middle}
.cell-bar rect{fill:var(--sale)}
@media (max-width:600px){.chart .spare{display:none}}
`.replaceAll('\n', '');
