// Stylesheet of the market page.

import { CHART_STYLE } from '../../page/chart/chart-style.ts';
import { MAP_STYLE } from '../../page/map/map-style.ts';
import { PARTS_STYLE } from '../../page/parts-style.ts';
import { FRAME_STYLE, sheet } from '../../page/style.ts';

/** The whole stylesheet; the content security policy allows it by its hash. */
export const MARKET_STYLE =
  FRAME_STYLE +
  PARTS_STYLE +
  CHART_STYLE +
  sheet(MAP_STYLE) +
  sheet(`
main{font-size:var(--tool);line-height:1.5;font-variant-numeric:tabular-nums}
.market-head{display:flex;flex-wrap:wrap;align-items:flex-end;justify-content:space-between;gap:12px 24px;padding:28px 0 20px}
.market-head p{margin:4px 0 0}
.controls{position:relative;display:flex;flex-wrap:wrap;align-items:center;gap:8px}
.drop-down>summary{list-style:none}
.drop-down>summary::-webkit-details-marker{display:none}
.drop-down>:not(summary){position:absolute;z-index:4;top:calc(100% + 8px);inset-inline-end:0;width:min(560px,100vw - 2*var(--margin));box-shadow:var(--shadow)}
.drop-down .panel{padding:16px;gap:16px}
.drop-down form{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:8px;align-items:end}
.drop-down .btn{min-height:40px}
.api>summary{min-height:38px}
.code-box footer a{margin-inline-start:8px}
.head-figures{display:grid;grid-template-columns:repeat(5,minmax(0,1fr));margin:0;border-block:1px solid var(--line)}
.head-figures>div{padding:16px 20px;border-inline-start:1px solid var(--line)}
.head-figures>:first-child{padding-inline-start:0;border:0}
.head-figures dt{font-size:var(--small);color:var(--quiet)}
.head-figures dd{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 10px;margin:0;font-size:var(--small)}
.large{font-size:1.625rem;font-weight:500;line-height:1.3;letter-spacing:-.02em}
.change{color:var(--quiet);white-space:nowrap}
.change i{margin-inline-end:4px;font-style:normal;font-size:.75em;vertical-align:.1em}
.few{font-size:var(--small);font-style:italic;font-weight:400;letter-spacing:0;color:var(--quiet)}
main>.notice{margin-top:20px}
.search-again{max-width:480px}
.search-again .buttons{margin:16px 0 4px}
.over{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 16px;margin:40px 0 14px}
.over h2{margin:0}
.over p{margin:0;font-size:var(--small);color:var(--quiet)}
.links{display:flex;gap:14px;margin-inline-start:auto;font-size:var(--small)}
.links a{padding-block:3px}
.panel.chart-box{position:relative;padding:18px 20px 12px;min-width:0}
.panel.chart-box>header{min-height:0;margin-bottom:6px;padding:0;border:0;align-items:baseline}
.panel.chart-box>header>.legend{margin-inline-start:0}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:0 0 4px;padding:0;list-style:none;font-size:var(--small)}
.legend li{display:inline-flex;align-items:center;gap:8px;margin:0}
.legend svg{flex:none}
.key-band{fill:var(--accent);fill-opacity:.13}
.key-line{stroke:var(--accent);stroke-width:2.5}
.key-second{stroke:var(--rental);stroke-width:1.75;stroke-dasharray:5 4}
.key-square{fill:var(--rental)}
.swatch{width:12px;height:12px;border-radius:2px;background:var(--accent)}
.swatch.sold{background:color-mix(in srgb,var(--sale) 75%,var(--raised))}
.two{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:20px;margin-top:20px}
.smalls{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:20px;margin-top:20px}
.panel.small-chart{padding:14px 16px 10px}
.panel.small-chart>header h3{font-size:var(--small);font-weight:500;color:var(--quiet)}
.small-chart strong{font-size:var(--large);font-weight:600;line-height:1.3}
.tools{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 14px;margin-top:auto}
.tools .figures[open]{flex:1 0 100%;order:1}
.aside{margin:6px 0 0;font-size:var(--small);color:var(--quiet)}
.nothing{display:grid;flex:1;place-content:center;min-height:96px;margin:0;text-align:center;color:var(--quiet)}
.figures{margin-top:6px;font-size:var(--small)}
.figures summary{display:inline-block;padding-block:3px;color:var(--quiet);cursor:pointer}
.figures summary:hover{color:var(--ink);text-decoration:underline}
.figures .wide{max-height:320px;overflow:auto;margin-top:6px;background:none}
.areas.beside{display:grid;grid-template-columns:minmax(0,1fr) 392px;gap:20px;align-items:start}
.table-box{overflow:hidden}
.area-map{overflow:hidden}
.area-map>svg{display:block;width:100%;height:auto}
.area-map .in{display:grid;gap:10px;padding:12px 16px;border-top:1px solid var(--line)}
.area-map .seg{justify-self:start;max-width:100%;overflow-x:auto;scrollbar-width:none}
.map-svg.map-key{display:block;width:100%;height:12px}
.edges{display:flex;justify-content:space-between;margin:-6px 0 0;font-size:var(--small)}
.rental .cell-bar rect{fill:var(--rental)}
.table-box .data thead th{white-space:nowrap}
.table-box .data tbody :is(th,td){font-size:var(--tool)}
.within{display:flex;gap:8px;padding:10px 12px;border-bottom:1px solid var(--line)}
.within input{flex:1;min-width:0;min-height:40px;padding:4px 12px;border:1px solid var(--edge);border-radius:6px;background:var(--raised);color:var(--ink);font:inherit}
.area-map .in p{margin:0;font-size:var(--small)}
.data tbody th a{color:inherit;text-decoration:none}
.data tbody th a:hover{text-decoration:underline}
.data .here>*{background:var(--hover)}
.bar{display:inline-block;width:56px;margin-inline-start:12px;text-align:start}
.tip{position:absolute;z-index:3;width:214px;padding:10px 12px;border:1px solid var(--line);border-radius:6px;background:var(--raised);box-shadow:var(--shadow);font-size:var(--small);line-height:1.45;pointer-events:none}
.tip strong{display:block;font-weight:600}
.tip dl{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:2px 10px;margin:4px 0 0}
.tip dt{color:var(--quiet)}
.tip dd{margin:0;font-weight:500;text-align:end}
.hair{position:absolute;z-index:2;width:0;border-inline-start:1px dashed var(--ink);pointer-events:none}
@media (max-width:1000px){.smalls{grid-template-columns:repeat(2,minmax(0,1fr))}.areas.beside{grid-template-columns:minmax(0,1fr)}.area-map{order:-1}.head-figures{grid-template-columns:repeat(3,minmax(0,1fr))}.head-figures>:nth-child(4){padding-inline-start:0;border:0}}
@media (max-width:760px){.two,.smalls{grid-template-columns:minmax(0,1fr)}.head-figures{grid-template-columns:repeat(2,minmax(0,1fr))}
.head-figures>div{padding:12px 16px}.head-figures>:nth-child(4){padding-inline-start:16px;border-inline-start:1px solid var(--line)}.head-figures>:nth-child(odd){padding-inline-start:0;border:0}
.large{font-size:1.375rem}.market-head{padding-top:20px}.over{margin-top:32px}.panel.chart-box{padding-inline:14px}
.over .links{flex-basis:100%}.links a{padding-block:6px}.controls{width:100%}.drop-down>:not(summary){inset-inline:0}
.wide-only,.bar{display:none}.table-box .data :is(th,td){padding-inline:8px}.table-box .data tbody :is(th,td){font-size:var(--small)}.table-box .data thead th{white-space:normal}}
@media (max-width:360px){.table-box .data :is(th,td){padding-inline:5px}.table-box .year{display:none}.panel.chart-box{padding-inline:10px}}
`);
