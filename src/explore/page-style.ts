// Stylesheet of the explorer: map and list side by side, on telephones a map with a sheet over it.

import { sheet } from '../page/style.ts';

/** Comes after FRAME_STYLE and PARTS_STYLE. */
export const EXPLORE_STYLE = sheet(`
body.explore{height:100vh;height:100dvh;min-height:560px;font-size:var(--tool);line-height:1.5;font-variant-numeric:tabular-nums}
.explore>.site-header{flex:none}
.explore main{display:flex;flex:1;flex-direction:column;min-height:0;max-width:none;margin:0;padding:0}
.icon{flex:none}
.phone{display:none}
.count{color:var(--quiet);font-weight:400}
.btn.primary .count{color:inherit}
.bar{position:relative;z-index:4;display:flex;flex-wrap:wrap;align-items:flex-start;gap:8px;padding:9px 20px;border-bottom:1px solid var(--line);background:var(--paper)}
.bar .chips{flex:0 1 auto;min-width:0}
.bar .offers{flex:1 1 0;max-height:42px;margin:-3px;padding:3px;overflow:hidden}
.bar .seg a{padding-inline:11px}
.bar .chip{padding-inline:11px}
.bar-end{display:flex;gap:8px}
.bar .search{display:none}
.filter{position:relative}
.bar .filter.on .chip{padding-inline-end:30px}
.filter .remove{position:absolute;inset-inline-end:1px;top:1px;bottom:1px;display:grid;place-items:center;width:28px;border-radius:50%;color:var(--quiet)}
.filter .remove:hover{color:var(--ink);background:var(--hover)}
.pop{position:relative}
.pop>summary{list-style:none;cursor:pointer}
.pop>summary::-webkit-details-marker{display:none}
.pop>summary::before{content:none}
.pop[open]>.btn{background:var(--hover)}
.floating{position:absolute;z-index:6;inset-inline-start:0;top:calc(100% + 8px);width:352px;max-width:calc(100vw - 32px);max-height:calc(100dvh - 190px);padding:16px;overflow:auto;box-shadow:var(--shadow);line-height:1.5}
.pop.end>.floating{inset-inline:auto 0}
.floating.api{width:520px}
.floating:has(.all){width:880px}
.panel-title{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 8px;margin:0 0 12px;font-size:var(--small)}
.panel-title strong{font-size:var(--tool)}
.panel-title .end{margin-inline-start:auto}
.filter-form :is(fieldset,p){margin:0 0 14px}
.filter-form fieldset{min-width:0;padding:0;border:0}
.filter-form legend,.filter-form .field>span{display:block;margin:0 0 4px;padding:0;font-size:var(--small);font-weight:400;color:var(--quiet)}
.filter-form .field{margin-bottom:14px}
.filter-form .field :is(input,select){min-height:36px;background:var(--paper)}
.two{display:grid;grid-template-columns:1fr auto 1fr;align-items:center;gap:10px}
.two>span{padding-top:8px}
.histogram{display:block;width:100%;height:auto;margin-bottom:10px}
.histogram .in{fill:var(--sale)}
.histogram.rent .in{fill:var(--rental)}
.histogram .out{fill:var(--line)}
.histogram .base{stroke:var(--edge);fill:none}
.histogram text{font:12px var(--sans);fill:var(--quiet)}
.steps{display:grid;grid-template-columns:repeat(6,1fr)}
.steps legend{grid-column:1/-1}
.steps .choice{position:relative;display:grid;justify-items:center;align-content:center;min-height:44px;border:1px solid var(--edge);border-inline-start-width:0;background:var(--raised);font-size:var(--small);line-height:1.3;cursor:pointer}
.steps .choice:first-of-type{border-inline-start-width:1px;border-start-start-radius:6px;border-end-start-radius:6px}
.steps .choice:last-of-type{border-start-end-radius:6px;border-end-end-radius:6px}
.steps .choice:hover{background:var(--hover)}
.steps .choice:has(:checked){background:var(--ink);color:var(--paper)}
.steps .choice:has(:checked) .count{color:inherit}
.steps .choice:has(:focus-visible){outline:2px solid var(--accent);outline-offset:2px;z-index:1}
.steps input{position:absolute;opacity:0}
.list .choice{display:flex;align-items:center;gap:8px;min-height:32px;cursor:pointer}
.list .choice .count{margin-inline-start:auto}
.list input{width:16px;height:16px;margin:0;accent-color:var(--accent)}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(240px,1fr));gap:0 28px}
.panel-end{display:flex;align-items:center;gap:8px}
.panel-end .primary{margin-inline-start:auto}
.all .panel-end{position:sticky;bottom:-16px;margin:0 -16px -16px;padding:12px 16px;border-top:1px solid var(--line);background:var(--raised)}
.links{margin:0;padding:0;list-style:none;font-size:var(--small)}
.menu-list{margin:0;padding:6px;list-style:none}
.menu-list.floating{width:220px}
.menu-list a{display:block;padding:7px 10px;border-radius:4px;color:var(--ink);text-decoration:none}
.menu-list a:hover,.menu-list [aria-current]{background:var(--hover)}
.menu-list [aria-current]{font-weight:600}
.api .code-box{margin-bottom:10px}
.api .code-box>header{min-height:32px}
.api .code-box pre{padding:8px 14px;line-height:1.5}
.api p{margin:0 0 10px}
.code-box .line{white-space:pre-wrap}
.kinds{margin-bottom:14px}
.app{display:grid;flex:1;grid-template-columns:minmax(0,1fr) 480px;min-height:0}
.map{position:relative;min-width:0;min-height:0;background:var(--water)}
.map .canvas{position:absolute;inset:0;display:grid;overflow:auto;scroll-snap-type:both proximity;scrollbar-width:none}
.map .canvas>svg{width:800px;height:684px;min-width:100%;min-height:100%;scroll-snap-align:center}
.controls{position:absolute;inset-inline-end:12px;top:12px;z-index:2;display:grid;gap:8px;justify-items:end}
.controls div{display:grid;overflow:hidden;border:1px solid var(--edge);border-radius:6px;background:var(--raised);box-shadow:var(--shadow)}
.controls a{display:grid;place-items:center;width:36px;height:36px;color:var(--ink)}
.controls a+a{border-top:1px solid var(--line)}
.controls a:hover{background:var(--hover)}
.controls a:focus-visible{outline-offset:-2px}
.controls .compass{grid-template-columns:repeat(3,26px)}
.controls .compass a{width:26px;height:26px;border:0}
.controls .compass :nth-child(1){grid-area:1/2}
.controls .compass :nth-child(2){grid-area:2/1}
.controls .compass :nth-child(3){grid-area:2/3}
.controls .compass :nth-child(4){grid-area:3/2}
.map-credits{position:absolute;inset-inline-end:12px;bottom:38px;z-index:1;max-width:60%;margin:0;padding:2px 6px;border-radius:4px;background:color-mix(in srgb,var(--raised) 88%,transparent);font-size:11px;color:var(--quiet)}
.map-credits a{color:inherit}
.caption{position:absolute;inset-inline-end:12px;bottom:8px;z-index:1;max-width:70%;margin:0;padding:3px 8px;border-radius:4px;background:color-mix(in srgb,var(--raised) 88%,transparent);font-size:12px;color:var(--quiet)}
.side{position:relative;display:flex;flex-direction:column;min-width:0;min-height:0;border-inline-start:1px solid var(--line);border-radius:0;background:var(--paper);box-shadow:none}
.side .handle{display:none}
.list-head{display:flex;align-items:center;gap:6px;padding:12px 20px;border-bottom:1px solid var(--line)}
.list-head>:first-child{flex:1;min-width:0}
.list-head h1{font:600 var(--large)/1.3 var(--sans);letter-spacing:-.01em}
.list-head p{margin:0;white-space:nowrap}
.sort>.btn{padding-inline:6px}
.watch{min-height:32px;padding-inline:12px;font-size:var(--small)}
.scroller{flex:1;min-height:0;overflow:auto}
.scroller>:is(.panel,.notice){margin:20px}
.row .mark{display:inline;width:auto;height:14px;margin-right:6px;vertical-align:-2px}
.row .icon{vertical-align:-2px}
.row .drop .icon{width:12px;height:12px;fill:currentColor;stroke:none}
.side-foot{padding:16px 20px;font-size:var(--small);color:var(--quiet)}
.side-foot p{margin:0 0 4px}
.pages{display:flex;justify-content:space-between;gap:12px;padding:10px 20px;border-top:1px solid var(--line);background:var(--paper);font-size:var(--small)}
.pages:not(:has(span:not(:empty))){display:none}
.pages .links{display:flex;gap:16px}
.middle .icon{width:24px;height:24px}
.notice .mark{width:10px;height:10px;border-radius:50%;background:var(--accent)}
.notice.warning .mark{border:2px solid var(--warning);border-radius:1px;background:none;transform:rotate(45deg)}
.notice.error .mark{border-radius:1px;background:var(--error)}
@media (max-width:1180px){.app{grid-template-columns:minmax(0,1fr) 420px}.bar .chips{flex-wrap:wrap}}
@media (max-width:899px){
body.explore{height:auto;min-height:100vh;min-height:100dvh}
.explore .site-header{position:sticky;top:0;background:var(--paper);z-index:8}
.explore main{display:block}
.bar{position:sticky;top:57px;z-index:3;height:0;padding:0 16px;gap:10px 8px;border:0;align-content:start;align-items:start;background:none;pointer-events:none}
.bar>*{pointer-events:auto}
.bar .seg{order:3;margin-inline-start:-6px;display:none}
.bar .search{display:flex;flex:1;align-items:center;gap:8px;min-width:0;min-height:44px;margin-top:9px;padding-inline:12px;background:var(--raised);border:1px solid var(--edge);border-radius:6px}
.bar .search input{flex:1;min-width:0;width:100%;padding:0;border:0;outline:0;background:none;color:var(--ink);font:inherit}
.bar .search ::placeholder{color:var(--quiet);opacity:1}
.bar .search:focus-within{outline:2px solid var(--accent);outline-offset:1px}
.bar-end{margin-top:9px}
.bar-end .btn{min-height:44px}
.bar-end .btn{padding-inline:12px}
.bar-end .text{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.bar:has([open]){z-index:9}
.bar .chips{order:3;flex:0 0 calc(100% + 32px);flex-wrap:nowrap;margin-inline:-16px;padding:3px 16px;overflow-x:auto;scrollbar-width:none}
.bar .offers{display:none}
.bar .floating{position:fixed;inset:auto 0 0;z-index:9;width:auto;max-width:none;max-height:82dvh;border-radius:14px 14px 0 0;padding-bottom:24px}
.phone{display:inline}
.phone.kinds{display:block}
.bar .kinds .seg{display:inline-flex;margin:0}
.bar .offers{margin-inline:-16px;padding-inline:16px;overflow-x:auto;max-height:none}
.wide-only{display:none}
.app{display:block}
.map{position:sticky;top:57px;height:calc(100dvh - var(--sheet,412px) - 57px + 14px);min-height:200px}
.map .canvas{place-content:center;overflow:hidden}
.map .canvas>svg{min-width:0;min-height:0}
.controls{top:auto;bottom:24px}
.caption{display:none}
.map-credits{inset-inline:12px auto;bottom:66px}
.side{z-index:5;min-height:calc(100dvh - 57px);margin-top:-14px;border:0;border-radius:14px 14px 0 0;box-shadow:var(--shadow)}
.side .handle{display:block}
.list-head{padding:2px 16px 12px}
.watch{min-height:40px}
.scroller{overflow:visible}
.pages{position:sticky;bottom:0;padding-inline:16px;z-index:1}
.side-foot{padding-inline:16px}
}
@media (max-width:760px){.bar,.map{top:57px}}
`);
