// Stylesheet of one home, on its page and in a sheet over the map. Comes after the frame, the parts and the charts.

/** Class names begin with `home-`, so that the page of the map can have it too. */
export const HOME_STYLE = `
.home-page{container-type:inline-size;font-size:var(--tool);line-height:1.5}
.home-page :where(p,dl,dd,ol,ul,blockquote,figure){margin:0;padding:0}
.home-page :where(ol,ul){list-style:none;max-width:none}
.home-page :where(li){margin:0}
.home-page .quiet{color:var(--quiet)}
.home-crumbs ol{display:flex;flex-wrap:wrap;gap:2px 8px;padding-top:20px;font-size:var(--small);color:var(--quiet)}
.home-crumbs li+li::before{content:"›";margin-inline-end:8px}
.home-crumbs a{color:inherit;text-decoration:none}
.home-crumbs a:hover{color:var(--ink);text-decoration:underline}
.home-head{display:grid;grid-template-columns:minmax(0,1fr) auto auto;align-items:end;gap:8px 24px;padding:8px 0 18px}
.home-head h1{font-size:var(--title);line-height:1.15}
.home-head p{font-size:1rem}
.home-price{text-align:end}
.home-price .amount{font-size:var(--title);font-weight:500;line-height:1.15;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.home-price .tag{vertical-align:1px}
.home-page .cut{color:var(--accent);font-weight:500;white-space:nowrap}
.home-page .rise{color:var(--sale);font-weight:500;white-space:nowrap}
.home-head .buttons{justify-content:end}
.home-head .buttons p{flex:1 0 100%;font-size:var(--small);text-align:end}
.home-head .buttons p:empty{display:none}
.home-ended{margin:0 0 18px}
.home-photos{display:grid;grid-template:190px 190px/2fr 1fr 1fr;gap:8px;position:relative;border-radius:8px;overflow:hidden}
.home-photos a:not(.btn){display:block;min-height:0;background:var(--land)}
.home-photos a:first-child{grid-row:1/3}
.home-photos img{display:block;width:100%;height:100%;object-fit:cover;object-position:50% 20%}
.home-photos a:hover img{opacity:.92}
.home-photos a:focus-visible{outline-offset:-4px;border-radius:8px}
.home-photos .all{position:absolute;inset-inline-end:12px;bottom:12px}
.home-photos.n1{grid-template:388px/1fr}
.home-photos:is(.n2,.n3){grid-template:190px 190px/2fr 1fr}
.home-photos.n2 a:nth-child(2){grid-row:1/3}
.home-photos.n4{grid-template:190px 190px/2fr 1fr 1fr}
.home-photos.n4 a:nth-child(4){grid-column:2/4}
.home-photos.none{display:block;padding:40px 16px;border:1px dashed var(--edge);color:var(--quiet);text-align:center}
.home-columns{display:grid;grid-template:auto 1fr/minmax(0,1fr) 392px;gap:0 48px;align-items:start}
.home-aside{grid-area:1/2/3/3}
.home-facts{display:flex;padding:22px 0;border-bottom:1px solid var(--line)}
.home-facts>div{display:flex;flex:1;flex-direction:column-reverse;justify-content:flex-end;padding-inline-start:20px;border-inline-start:1px solid var(--line)}
.home-facts>div:first-child{padding:0;border:0}
.home-facts dd{font-size:var(--large);font-weight:600;line-height:1.3;font-variant-numeric:tabular-nums}
.home-facts dd.quiet{font-size:var(--tool);font-weight:400;line-height:1.65}
.home-facts dt{font-size:var(--small);color:var(--quiet)}
.home-text{max-width:66ch;margin-top:22px;font-size:1rem;line-height:1.6}
.home-text p+p{margin-top:12px}
.home-list{display:grid;grid-template-columns:repeat(3,1fr);gap:0 32px;margin-top:20px}
.home-list>div{display:flex;justify-content:space-between;gap:12px;padding:8px 0;border-bottom:1px solid var(--line)}
.home-list dt{color:var(--quiet)}
.home-list dd{font-weight:500;text-align:end;overflow-wrap:anywhere}
.home-list dd.quiet{font-weight:400}
.home-features{display:flex;flex-wrap:wrap;align-items:center;gap:6px;margin-top:16px}
.home-features>ul{display:contents}
.home-features details[open]{flex:1 0 100%}
.home-features details ul{display:flex;flex-wrap:wrap;gap:6px}
.home-features summary,.home-api summary,.home-section .more summary{display:inline-block;color:var(--accent);font-size:var(--small);text-decoration:underline;text-underline-offset:.2em;cursor:pointer}
.home-features summary{margin-inline-start:4px}
.home-features [open] summary{margin:0 0 8px}
.home-section{padding-top:40px}
.home-section>header{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 14px;margin-bottom:14px}
.home-section h2{margin:0}
.home-section>header .quiet{font-size:var(--small)}
.home-section .more-link{margin-inline-start:auto;font-size:var(--small)}
.home-page .chart .note{fill:var(--ink);font:12.5px var(--sans)}
.home-page .chart .strong{font-weight:600}
.home-page .chart .note.quiet{fill:var(--quiet)}
.home-page .chart .halo{stroke:var(--paper)}
.home-page .chart .asked{stroke:var(--sale);stroke-linecap:butt}
.home-page .chart .pending{stroke-dasharray:2 4}
.home-page .price-mark{fill:var(--paper);stroke:var(--sale);stroke-width:2}
.home-page .now-mark,.home-page .chart .price-diamond{fill:var(--sale);stroke:none}
.home-page .chart .sold-mark{fill:var(--ink);stroke:none}
.home-page .chart .span{fill:var(--wash);stroke:var(--accent)}
.home-page .chart .middle-mark{stroke-width:3;stroke-linecap:butt}
.home-steps{margin-top:14px}
.home-steps.data{font-size:var(--tool)}
.home-steps :is(th,td):first-child{padding-inline-start:0}
.home-steps :is(th,td):last-child{padding-inline-end:0}
.home-steps tbody tr:first-child>*{border-top:1px solid var(--line)}
.home-steps.data tbody th{color:var(--quiet);font-weight:400}
.home-steps td:nth-child(n+3){text-align:end;white-space:nowrap}
.home-steps td:last-child{font-weight:600}
.home-api{margin-inline-start:auto}
.more-link+.home-api{margin-inline-start:0}
.home-api[open]{flex:1 0 100%}
.home-api .code-box{margin-top:8px}
.home-aside{display:grid;grid-template-columns:minmax(0,1fr);gap:20px;padding-top:22px}
.home-aside :is(h2,h3){font-size:var(--tool)}
.home-live .live-body{display:grid;gap:10px;padding:14px 16px}
.home-live .live-body p{color:var(--quiet);font-size:var(--small)}
.home-live .no-script{display:none}
@media (scripting:none){.home-live .no-script{display:block}}
.panel-text{padding:12px 16px}
.home-broker .entry{display:grid;grid-template-columns:44px minmax(0,1fr);gap:14px;align-items:center;padding:14px 16px}
.home-broker .entry+.entry{border-top:1px solid var(--line)}
.home-broker strong,.home-broker .quiet{display:block}
.home-broker .quiet{font-size:var(--small)}
.home-broker .initials{display:grid;place-items:center;width:44px;height:44px;border-radius:50%;background:var(--wash);color:var(--accent);font:600 var(--small)/1 var(--serif)}
.home-broker .day{display:grid;width:44px;border:1px solid var(--edge);border-radius:6px;overflow:hidden;text-align:center;line-height:1.3}
.home-broker .day b{background:var(--ink);color:var(--paper);font-size:12px}
.home-broker .day span{font-size:var(--large);font-weight:600}
.home-market dl>div{display:flex;align-items:center;min-height:44px;padding:8px 16px}
.home-market dl>div+div{border-top:1px solid var(--line)}
.home-market dt{flex:1;color:var(--quiet)}
.home-market dd{display:flex;align-items:center;gap:14px}
.home-market b{font-weight:600;font-variant-numeric:tabular-nums}
.home-market header a{font-size:var(--small)}
.home-compared{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,6fr);border:1px solid var(--line);border-radius:6px;overflow:hidden;background:var(--raised)}
.home-compared>table:only-child{grid-column:1/-1}
.home-map{min-height:300px;border-inline-end:1px solid var(--line)}
.home-map{position:relative}
.home-map svg{position:absolute;inset:0;display:block;width:100%;height:100%}
.home-letters{font:600 12px var(--sans);text-anchor:middle}
.home-letters circle{fill:var(--raised);stroke:var(--ink);stroke-width:1.5}
.home-letters text{fill:var(--ink)}
.home-letters .here path{fill:var(--ink);stroke:var(--paper)}
.home-letters .here .roof{fill:var(--paper);stroke:none}
.home-letters .about{opacity:.75}
.home-compared .data td,.home-compared .data th{padding:8px 10px}
.home-compared td:first-child{width:42px}
.home-compared .quiet{display:block;font-size:var(--small);font-weight:400}
.home-compared .data th a{color:inherit;text-decoration:none}
.home-compared .data th a:hover{text-decoration:underline}
.home-compared .data{font-size:var(--tool)}
.home-compared td:nth-child(4){text-align:end;font-weight:600;white-space:nowrap}
.home-compared td:nth-child(5){text-align:end;white-space:nowrap}
.home-compared .letter{display:grid;place-items:center;width:22px;height:22px;border:1.5px solid var(--ink);border-radius:50%;font-size:12px;font-weight:600}
.home-compared .alike{fill:var(--accent)}
.home-compared .alike .all{fill:var(--line)}
.home-source dl{display:grid;grid-template-columns:repeat(4,auto);gap:4px 24px}
.home-source{padding:16px;border:1px solid var(--line);border-radius:6px;font-size:var(--small)}
.home-source dt{color:var(--quiet)}
.home-source dd{overflow-wrap:anywhere}
.home-source p{margin-top:8px;padding-top:8px;border-top:1px solid var(--line);color:var(--quiet)}
.home-missing{padding:48px 0;max-width:60ch}
.home-missing .buttons{margin:24px 0}
.light-box{display:none;position:fixed;inset:0;z-index:5;overflow-y:auto;overscroll-behavior:contain;padding:16px;background:var(--paper)}
.light-box:is(:target,:has(:target)){display:block}
.light-box figure{max-width:1100px;margin:0 auto 24px;scroll-margin-top:16px}
.light-box img{display:block;width:100%;height:auto;border-radius:6px;background:var(--land)}
.light-box figcaption{padding:6px 0;font-size:var(--small);color:var(--quiet)}
.light-box .close{position:sticky;top:0;z-index:1;float:inline-end}
.home-live .live-body strong{color:var(--ink)}
.live-log{margin:0 -16px;border-top:1px solid var(--line)}
.live-log li{display:grid;grid-template-columns:64px 56px minmax(0,1fr);gap:10px;padding:8px 16px;border-bottom:1px solid var(--line);font-size:var(--small)}
.live-log .time,.live-log code{font-family:var(--mono);font-size:inherit}
.live-log .time{text-align:end}
.live-log span:last-child{color:var(--quiet);overflow-wrap:anywhere}
.live-line .event{fill:var(--accent)}
.live-line .event.cached{fill:var(--raised);stroke:var(--ink);stroke-width:2}
.live-line .event.error{fill:var(--error)}
.live-changes h3{margin:0 0 8px;font:600 var(--small)/1.4 var(--sans)}
.live-changes dl>div{display:flex;justify-content:space-between;gap:14px;padding:3px 0;font-size:var(--small)}
.live-changes dt{color:var(--quiet)}
.live-changes dd{text-align:end;overflow-wrap:anywhere}
.live-changes s{color:var(--quiet)}
.live-changes ins{padding:1px 5px;border-radius:3px;background:var(--wash);font-weight:600;text-decoration:none}
.live-trouble{display:grid;gap:6px;justify-items:start;padding:12px 14px;border:1px solid var(--line);border-inline-start:3px solid var(--warning);border-radius:6px}
.live-trouble.error{border-inline-start-color:var(--error)}
.live-trouble.locked{border-inline-start-color:var(--edge)}
.live-trouble .btn{margin-top:4px}
.home-viewer{display:none;grid-template-rows:auto minmax(0,1fr) auto;gap:8px;width:100vw;max-width:none;height:100dvh;max-height:none;margin:0;padding:12px 16px;border:0;background:var(--paper);color:var(--ink)}
.home-viewer[open]{display:grid}
.home-viewer header{display:flex;align-items:center;justify-content:space-between;gap:16px}
.home-viewer header p{margin:0;font-variant-numeric:tabular-nums}
.home-viewer .stage{display:flex;align-items:center;justify-content:center;gap:12px;min-height:0;touch-action:pan-y pinch-zoom}
.home-viewer .stage img{flex:1;min-width:0;max-width:1400px;height:100%;object-fit:contain;user-select:none}
.home-viewer .step{min-width:44px;min-height:44px;padding:0;font-size:1.5rem;line-height:1}
.home-viewer .strip{display:flex;gap:6px;overflow-x:auto;padding:4px}
.home-viewer .strip button{flex:none;width:84px;height:56px;padding:0;border:0;border-radius:4px;overflow:hidden;background:var(--land);cursor:pointer}
.home-viewer .strip img{display:block;width:100%;height:100%;object-fit:cover}
.home-viewer .strip [aria-current=true]{outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:760px){.home-viewer .stage{position:relative}.home-viewer .step{position:absolute;inset-inline-start:0;bottom:8px}.home-viewer .step:last-child{inset-inline:auto 0}}
@media (prefers-color-scheme:dark){.home-page img,.home-viewer img{filter:brightness(.86)}}
@container (max-width:1000px){
.home-columns{grid-template:auto/minmax(0,1fr)}
.home-aside{grid-area:auto}
.home-compared .spare{display:none}
}
@container (max-width:760px){
.home-head{grid-template-columns:minmax(0,1fr);padding-bottom:14px}
.home-price{text-align:start}
.home-head .buttons{justify-content:start;order:3}
.home-head .buttons p{text-align:start}
.home-head .buttons:empty{display:none}
.home-photos{grid-template:230px 84px/repeat(4,1fr);margin-inline:-16px;border-radius:0;gap:4px}
.home-photos a:first-child{grid-area:1/1/2/5}
.home-photos.n1{grid-template:230px/1fr}
.home-photos:is(.n2,.n3,.n4){grid-template:230px 84px/repeat(4,1fr)}
.home-photos.n2 a:nth-child(2),.home-photos.n4 a:nth-child(4){grid-area:auto}
.home-photos .all{bottom:100px}
.home-photos.n1 .all{bottom:12px}
.home-facts{flex-wrap:wrap;gap:14px 0;padding:18px 0}
.home-facts>div{flex:0 0 33.3%;padding-inline-start:12px}
.home-facts>div:nth-child(3n+1){padding:0;border:0}
.home-list{grid-template-columns:minmax(0,1fr)}
.home-compared{grid-template-columns:minmax(0,1fr)}
.home-map{height:260px;min-height:0;border:0;border-bottom:1px solid var(--line)}
.home-source dl{grid-template-columns:1fr 1fr}
.home-steps.data{font-size:var(--small)}
.home-steps :is(th,td){padding-inline:6px}
}
`.replaceAll('\n', '');
