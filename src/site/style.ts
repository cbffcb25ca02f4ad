// Stylesheet of the documentation's text.
import { sheet } from '../page/style.ts';

/** Three sizes, in steps of 1.2 from 16 px. */
export const TEXT_STYLE = sheet(`
main{padding-top:48px;padding-bottom:64px}
.lead{max-width:68ch;margin:0 0 40px}
.lead p{margin:16px 0 0;color:var(--quiet)}
h1{margin:0;font:400 var(--title)/1.2 var(--serif);font-variant-numeric:lining-nums;letter-spacing:-.01em;text-wrap:balance}
h2{margin:40px 0 8px;font:400 var(--head)/1.3 var(--serif);font-variant-numeric:lining-nums;text-wrap:balance}
.lead+section h2,.lead+h2,.map>div>section:first-child h2{margin-top:0}
h3{margin:32px 0 8px;font-size:1rem;line-height:1.4}
.anchor{color:inherit;text-decoration:none}
.anchor:hover{text-decoration:underline}
p,ul,ol,dl{max-width:68ch}
p{margin:8px 0 16px}
ol,ul{padding-left:24px}
li{margin:8px 0}
code,pre,kbd,.figures td{font-family:var(--mono);font-variant-numeric:tabular-nums}
code{font-size:1em;overflow-wrap:anywhere}
p code,li code,dd code{padding:0 4px;background:var(--land);border-radius:4px}
pre{margin:16px 0;padding:16px;max-width:80ch;background:var(--land);border:1px solid var(--line);border-radius:6px;
font-size:.875rem;line-height:1.6}
.code{display:flex;align-items:start;gap:8px;margin:16px 0;max-width:880px}
.code pre{flex:1;margin:0;min-width:0;max-width:none}
.copy{padding:4px 12px;font:600 1rem/1.5 var(--sans);color:var(--accent);background:var(--paper);border:1px solid var(--line);
border-radius:6px;cursor:pointer}
.copy:hover{border-color:var(--accent)}
.market{display:flex;flex-wrap:wrap;gap:16px 48px;margin:0 0 16px;padding:16px 24px;max-width:none;background:var(--land);
border:1px solid var(--line);border-radius:6px}
.market div{display:flex;flex-direction:column}
.market dt{order:1}
.market dd{margin:0;font:400 var(--title)/1.2 var(--serif);font-variant-numeric:tabular-nums}
.homes{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:24px 20px;max-width:none;margin:16px 0;padding:0;list-style:none}
.homes li{margin:0}
.home-card{position:relative;font-size:.8125rem;line-height:1.5}
.home-card img{display:block;width:100%;height:auto;aspect-ratio:3/2;object-fit:cover;background:var(--land);border-radius:6px}
.home-card p{margin:0;overflow-wrap:anywhere}
.home-card .price{margin-top:8px;font:600 1.1875rem/1.4 var(--sans);font-variant-numeric:tabular-nums}
.home-card .tag{position:absolute;left:8px;top:8px;padding:0 8px;background:var(--paper);border-radius:4px;font-weight:600}
.tag.sale{color:var(--sale)}
.tag.rental{color:var(--rental)}
.quiet{color:var(--quiet)}
.one-home{display:grid;grid-template-columns:minmax(0,1fr);gap:24px}
.ways{display:grid;grid-template-columns:repeat(auto-fit,minmax(256px,1fr));gap:20px;max-width:none;margin:16px 0;padding:0;list-style:none}
.ways li{display:flex;flex-direction:column;margin:0;padding:16px 20px;border:1px solid var(--line);border-radius:6px}
.ways h3{margin:0;font:600 var(--head)/1.4 var(--serif)}
.ways p{margin:4px 0 12px;flex:1}
.ways span{display:flex;flex-wrap:wrap;gap:4px 16px}
.wide{margin:16px 0 24px}
.drawing pre{margin:0;border:0;white-space:pre;overflow-wrap:normal;width:fit-content;max-width:none;min-width:100%}
table{width:100%;border-collapse:collapse;text-align:left}
th,td{padding:8px 16px;vertical-align:top}
thead th{background:var(--land);border-bottom:1px solid var(--line);font-weight:600;white-space:nowrap}
tbody tr+tr>*{border-top:1px solid var(--line)}
tbody th{font-weight:400}
td code,th code{white-space:nowrap}
td[data-label] code{white-space:normal}
td{min-width:12rem}
.figures td{min-width:0}
.wide:has(.figures){width:fit-content;max-width:100%}
.figures td,.figures thead th+th{text-align:right}
.figures td{white-space:nowrap}
.figures thead th{white-space:normal;vertical-align:bottom}
.map{display:grid;grid-template-columns:minmax(0,1fr);gap:48px 64px}
.legend{font-size:1rem}
.legend h2{margin:0 0 8px}
.legend h3{margin:16px 0 0;color:var(--quiet);font-weight:400}
.legend ul{margin:0;padding:0;list-style:none;columns:16rem;column-gap:24px}
.legend li{margin:0;break-inside:avoid}
.legend a{display:inline-block;padding:4px 0;font-family:var(--mono);text-decoration:none;overflow-wrap:anywhere}
.legend a:hover{text-decoration:underline}
.entry{padding:24px 0;border-top:1px solid var(--line)}
.entry h3{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 16px;margin:0 0 4px;font:600 1rem/1.5 var(--mono)}
.entry h3 a{color:var(--ink);text-decoration:none;overflow-wrap:anywhere}
.entry h3 a:hover{text-decoration:underline}
.entry h3 span{font-weight:400;color:var(--quiet)}
.entry:target{margin:0 -16px;padding:24px 16px;background:var(--land);border-radius:6px}
.entry:target pre,.entry:target code{background:var(--paper)}
.entry>p{margin:0 0 8px}
dl{margin:0 0 8px}
dt{color:var(--quiet)}
dd{margin:0 0 8px}
summary{display:inline-block;padding:4px 0;color:var(--accent);cursor:pointer}
summary::before{content:"+ "}
details[open] summary::before{content:"\\2212 "}
summary:hover{text-decoration:underline;text-underline-offset:.2em}
.note{padding:12px 16px;max-width:72ch;background:var(--water);border-radius:6px}
header+.note{margin:0;padding:12px 32px;max-width:none;border-radius:0}
body>.sub{width:100%;padding-block:16px;border-top:1px solid var(--line)}
body>.sub ul{margin:0;padding:0;max-width:none;list-style:none}
body>.sub li{margin:0}
body>.sub+.site-footer{margin-top:0}
@media (max-width:1000px){.homes{grid-template-columns:repeat(3,minmax(0,1fr))}}
@media (min-width:601px){.operations th{width:45%}}
@media (min-width:960px){
.one-home{grid-template-columns:320px minmax(0,1fr)}
.one-home .code{margin:0 0 16px}
.map{grid-template-columns:288px minmax(0,1fr)}
.legend{position:sticky;top:24px;align-self:start;max-height:calc(100vh - 48px);overflow-y:auto}
.legend ul{columns:1}
.entry dl{display:grid;grid-template-columns:96px 1fr;gap:0 16px}
}
@media (max-width:600px){
main{padding-top:32px}
.code{flex-direction:column;align-items:stretch}
.homes{grid-template-columns:repeat(2,minmax(0,1fr));gap:24px 12px}
.copy{align-self:end}
th,td{padding:8px 12px}
.wide:not(:has(.figures)) thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.wide:not(:has(.figures)) :is(tr,th,td){display:block;min-width:0}
.wide:not(:has(.figures)) tr{padding:8px 12px}
.wide:not(:has(.figures)) tbody :is(th,td){padding:2px 0;border:0}
.wide:not(:has(.figures)) td{color:var(--quiet)}
td[data-label]:not([data-label=""],:empty)::before{content:attr(data-label) ": "}
:is(td,th) code{white-space:normal}
}
@media print{.skip,header nav,footer{display:none}}
`);
