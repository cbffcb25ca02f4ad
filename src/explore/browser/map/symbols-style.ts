// Stylesheet of what only the live map has: its canvas, pins and clusters, and the card of a pin.
//
// It is constructed by script, which the page's policy permits, so that pages without script do not carry it.

const STYLE = `
.host{display:contents}
.canvas.starting{visibility:hidden}
.maplibregl-map{position:absolute;inset:0;overflow:hidden;background:var(--water)}
.maplibregl-canvas{position:absolute;inset:0 auto auto 0;outline-offset:-2px}
.maplibregl-canvas-container{position:absolute;inset:0}
.maplibregl-interactive{cursor:grab;user-select:none}
.maplibregl-interactive:active{cursor:grabbing}
.maplibregl-touch-zoom-rotate,.maplibregl-touch-zoom-rotate .maplibregl-canvas{touch-action:none}
.maplibregl-crosshair .maplibregl-interactive{cursor:crosshair}
.maplibregl-boxzoom{position:absolute;inset:0 auto auto 0;border:2px dotted var(--accent);background:color-mix(in srgb,var(--accent) 12%,transparent)}
.maplibregl-canary{background-color:salmon}
.maplibregl-marker{position:absolute;top:0;left:0}
.maplibregl-control-container{display:none}
.symbol{margin:0;padding:0;font:600 12px/1 var(--sans);font-variant-numeric:tabular-nums;color:var(--ink);cursor:pointer;white-space:nowrap}
.symbol:focus-visible{outline:2px solid var(--accent);outline-offset:2px;z-index:3}
.cluster{display:grid;place-items:center;border:2px solid var(--sale);border-radius:50%;background:color-mix(in srgb,var(--sale) 14%,var(--paper));font-size:13px}
.cluster.rental{border-color:var(--rental);border-radius:4px;background:color-mix(in srgb,var(--rental) 14%,var(--paper))}
.cluster:hover{background:color-mix(in srgb,var(--sale) 28%,var(--paper));z-index:2}
.cluster.rental:hover{background:color-mix(in srgb,var(--rental) 28%,var(--paper))}
.cluster[data-median]::after{content:attr(data-median);position:absolute;top:calc(100% + 2px);left:50%;transform:translateX(-50%);font-weight:500;font-size:12px;paint-order:stroke;text-shadow:0 0 3px var(--land),0 0 3px var(--land),0 0 2px var(--land)}
.pin{height:22px;padding:0 8px;border:1.5px solid var(--sale);border-radius:11px;background:var(--raised)}
.pin.rental{border-color:var(--rental);border-radius:3px}
.pin::after{content:"";position:absolute;left:50%;bottom:-5px;width:7px;height:7px;border:solid var(--sale);border-width:0 1.5px 1.5px 0;background:var(--raised);transform:translateX(-50%) rotate(45deg)}
.pin.rental::after{border-color:var(--rental)}
.pin .down{margin-inline-end:3px;color:var(--accent);font-size:9px;vertical-align:1px}
.pin.seen{border-color:var(--edge);color:var(--quiet);font-weight:500}
.pin.seen::after{border-color:var(--edge)}
.pin.sold{border-style:dashed}
.pin.stack{box-shadow:3px -3px 0 -1px var(--raised),3px -3px 0 0.5px var(--sale)}
.pin.stack.rental{box-shadow:3px -3px 0 -1px var(--raised),3px -3px 0 0.5px var(--rental)}
.pin:is(:hover,:focus-visible,.lit){z-index:2;border-color:var(--ink);background:var(--ink);color:var(--paper)}
.pin:is(:hover,:focus-visible,.lit)::after{border-color:var(--ink);background:var(--ink)}
.pin:is(:hover,:focus-visible,.lit) .down{color:inherit}
.spot{width:14px;height:14px;border:3px solid var(--paper);border-radius:50%;background:var(--ink);box-shadow:0 0 0 1.5px var(--ink);pointer-events:none}
.map-card{position:absolute;z-index:4;width:244px;max-height:300px;overflow:auto;border-radius:6px;background:var(--raised);box-shadow:var(--shadow);font-size:var(--tool);line-height:1.5}
.map-card img{display:block;width:100%;height:118px;object-fit:cover;border-radius:6px 6px 0 0;background:var(--land)}
.map-card .text{padding:8px 12px 10px}
.map-card p{margin:0}
.map-card a{color:inherit;text-decoration:none}
.map-card a.whole::after{content:"";position:absolute;inset:0}
.map-card ul{margin:0;padding:0;list-style:none}
.map-card li a{display:grid;grid-template-columns:1fr auto;gap:0 12px;align-items:center;min-height:36px;padding:6px 12px;border-top:1px solid var(--line)}
.map-card li a:hover{background:var(--hover)}
.map-card .where{grid-column:1/-1;font-size:var(--small)}
.map-card.docked{inset-inline:12px;bottom:26px;width:auto;display:flex}
.map-card.docked img{width:116px;height:auto;min-height:96px;border-radius:6px 0 0 6px}
.map-card.docked:has(ul){display:block}
.controls button{display:grid;place-items:center;width:36px;height:36px;padding:0;border:0;background:none;color:var(--ink);cursor:pointer}
.controls button+button{border-top:1px solid var(--line)}
.controls button:hover{background:var(--hover)}
.controls button:focus-visible{outline-offset:-2px}
.controls button[aria-pressed=true]{background:var(--ink);color:var(--paper)}
.scale-bar{position:absolute;z-index:1;inset-inline-start:12px;bottom:8px;padding:5px 8px;border-radius:4px;background:color-mix(in srgb,var(--raised) 88%,transparent);font-size:12px;line-height:1.3;color:var(--ink);pointer-events:none}
.scale-bar .bar-line{height:5px;margin-bottom:3px;border:1px solid var(--ink);background:repeating-linear-gradient(90deg,var(--ink) 0 25%,var(--paper) 25% 50%)}
.side[aria-busy=true] :is(.list-head>:first-child,.rows){opacity:.55}
.map .notice{position:absolute;z-index:3;pointer-events:none;inset-inline:12px 64px;bottom:30px;max-width:420px;box-shadow:var(--shadow)}
.drawing .symbol{pointer-events:none}
.row.lit{background:var(--hover);box-shadow:inset 3px 0 0 var(--ink)}
[dir=rtl] .row.lit{box-shadow:inset -3px 0 0 var(--ink)}
@media (prefers-color-scheme:dark){.map-card img{filter:brightness(.86)}}
@media (max-width:899px){.scale-bar{bottom:22px}}
`;

export function adoptStyle(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
}
