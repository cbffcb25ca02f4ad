// Stylesheet of the MCP App: the colours of every page, in the theme of its host.

import { MAP_STYLE } from '../../page/map/map-style.ts';
import { DARK, LIGHT, properties } from '../../page/palette.ts';

/** Without a word of the host, the theme is that of the browser. */
export const APP_STYLE =
  `:root{color-scheme:light dark;${properties(LIGHT)};--sans:var(--font-sans,ui-sans-serif,system-ui,sans-serif);--serif:ui-serif,Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif;--small:.8125rem}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${properties(DARK)}}}
:root[data-theme=dark]{color-scheme:dark;${properties(DARK)}}
:root[data-theme=light]{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:.9375rem/1.5 var(--sans);font-variant-numeric:tabular-nums}
a{color:inherit}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:6px}
h2:focus{outline:0}
header{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px;padding:10px 16px;border-bottom:1px solid var(--line)}
h1{margin:0;font-size:1rem;font-weight:600}
h2{margin:0;font:1.3125rem/1.25 var(--serif)}
p{margin:0}
.quiet{color:var(--quiet);font-weight:400}
.btn{display:inline-flex;align-items:center;min-height:36px;padding:0 12px;border:1px solid var(--edge);border-radius:6px;background:var(--raised);color:var(--ink);font-weight:500;text-decoration:none}
.btn:hover{background:var(--hover)}
.btn.small{min-height:32px;font-size:var(--small)}
.state{display:grid;justify-items:start;gap:12px;padding:24px 16px}
.plain{white-space:pre-wrap;overflow-wrap:anywhere}
.map{position:relative;overflow:hidden;background:var(--land)}
.map>svg{width:100%;height:auto}
.map.none{display:grid;place-content:center;justify-items:center;gap:10px;min-height:160px;padding:16px;text-align:center}
.all{position:absolute;inset-inline-start:12px;top:12px}
.rows{margin:0;padding:0;list-style:none}
.row{position:relative;padding:10px 16px;border-bottom:1px solid var(--line);line-height:1.45}
.row:last-child{border:0}
.row:hover{background:var(--hover)}
.row p{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.row a{text-decoration:none}
.row a::after{content:"";position:absolute;inset:0}
.row a:focus-visible{outline-offset:0}
.first{display:flex;flex-wrap:wrap;align-items:center;gap:2px 10px}
.price{font-size:1.125rem;font-weight:600}
.tag{padding:1px 8px;border-radius:99px;background:var(--wash);font-size:var(--small);font-weight:500}
.meta{font-size:var(--small);color:var(--quiet)}
.home{display:grid;gap:10px;padding:14px 16px}
dl{display:flex;flex-wrap:wrap;gap:4px 24px;margin:0}
dt{font-size:var(--small);color:var(--quiet)}
dd{margin:0}
.features{display:flex;flex-wrap:wrap;gap:6px;margin:0;padding:0;list-style:none}
.features li{padding:1px 10px;border:1px solid var(--line);border-radius:99px;font-size:var(--small)}
.home .btn{justify-self:start}
@media (min-width:640px){.mapped{display:grid;grid-template-columns:55% minmax(0,1fr)}.mapped .map{border-inline-end:1px solid var(--line)}.mapped .side{max-height:340px;overflow:auto}}
${MAP_STYLE}`.replaceAll('\n', '');
