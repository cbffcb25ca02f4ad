// Stylesheet of maps: comes after that of the frame, whose colours it uses.

export const MAP_STYLE = `
.map-svg{display:block;background:var(--paper);font:12px var(--sans);font-variant-numeric:tabular-nums}
.map-svg a{cursor:pointer;text-decoration:none}
.map-svg .wt{fill:var(--water)}
.map-svg .pp{fill:var(--paper)}
.map-svg .gr{fill:none;stroke:var(--ink);stroke-opacity:.08}
.map-svg .gt{fill:var(--quiet);font-size:11px}
.map-svg .co{fill:none;stroke:var(--coast);stroke-linejoin:round}
.map-svg .ld{fill:var(--land)}
.map-svg .far{fill:color-mix(in srgb,var(--paper) 65%,var(--land))}
.map-svg :is(.ed,.mj,.mn,.ch){fill:none;stroke:var(--quiet);stroke-linejoin:round}
.map-svg .ed{stroke-opacity:.7}
.map-svg .mj{stroke-opacity:.45}
.map-svg .mn{stroke-opacity:.55;stroke-dasharray:2 2.5}
.map-svg .ch{stroke:var(--accent);stroke-width:2}
.map-svg .nm{font:12px var(--serif);font-style:italic;fill:var(--quiet);text-anchor:middle;paint-order:stroke;stroke:var(--land);stroke-width:3px;stroke-linejoin:round}
.map-svg .nm.mj{font-size:16px;font-style:normal;fill:var(--ink);stroke-opacity:1}
.map-svg a:hover .nm{text-decoration:underline}
.map-svg :is(.cl,.pn) text{text-anchor:middle}
.map-svg .cl .f{fill:color-mix(in srgb,var(--k) 14%,var(--paper));stroke:var(--k);stroke-width:1.5}
.map-svg .cl text{fill:var(--ink);font-weight:600}
.map-svg .cl .md{font-weight:400;paint-order:stroke;stroke:var(--land);stroke-width:3px;stroke-linejoin:round}
.map-svg .sale{--k:var(--sale)}
.map-svg .rental{--k:var(--rental)}
.map-svg .pn .f{fill:var(--raised,var(--paper));stroke:var(--k)}
.map-svg .pn text{fill:var(--ink);font-weight:600}
.map-svg .pn .dn{fill:var(--accent)}
.map-svg .pn.seen .f{stroke:var(--edge,var(--quiet))}
.map-svg .pn.seen text,.map-svg .pn.sold text{fill:var(--quiet);font-weight:400}
.map-svg .pn.sold .f{stroke-dasharray:3 2}
.map-svg .pn.near .f{stroke-dasharray:1 2}
.map-svg .pn.lit .f,.map-svg a:hover .pn .f{fill:var(--ink);stroke:var(--ink)}
.map-svg .pn.lit text,.map-svg a:hover .pn text{fill:var(--paper)}
.map-svg .pn.lit .dn,.map-svg a:hover .pn .dn{fill:var(--paper)}
.map-svg .cl a:hover .f{fill:color-mix(in srgb,var(--k) 26%,var(--paper))}
.map-svg a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.map-svg .dt{stroke:var(--k);stroke-width:2.6;stroke-linecap:round;fill:none;opacity:.8}
.map-svg .s0{fill:var(--land)}
.map-svg .s1{fill:color-mix(in srgb,var(--accent) 14%,var(--paper))}
.map-svg .s2{fill:color-mix(in srgb,var(--accent) 32%,var(--paper))}
.map-svg .s3{fill:color-mix(in srgb,var(--accent) 50%,var(--paper))}
.map-svg .s4{fill:color-mix(in srgb,var(--accent) 70%,var(--paper))}
.map-svg .s5{fill:color-mix(in srgb,var(--accent) 92%,var(--paper))}
.map-svg .ha{stroke:var(--quiet);stroke-opacity:.45}
.map-svg.shaded .nm{stroke:var(--paper)}
.map-svg.shaded .nm:not(.mj){fill:var(--ink)}
.map-scale{display:block;font:12px var(--sans)}
.map-scale rect{fill:var(--paper);stroke:var(--ink)}
.map-scale .on{fill:var(--ink)}
.map-scale text{fill:var(--quiet);text-anchor:middle}
`.replaceAll('\n', '');
