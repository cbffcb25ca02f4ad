// Stylesheet of the parts that pages are made of: buttons, chips, tags, panels, notices, cards, rows, tables, code.

import { sheet } from './style.ts';

/** Rules of each part, of which a page that is to be small takes those that it has. Text is 15 px, in tables and small print 13. */
export const PARTS = {
  titles: sheet(`
h1,h2,.place{font-family:var(--serif);font-variant-numeric:lining-nums;font-weight:400;text-wrap:balance;overflow-wrap:anywhere}
h1{margin:0;font-size:var(--title);line-height:1.2;letter-spacing:-.01em}
h2{margin:40px 0 12px;font-size:var(--head);line-height:1.3;letter-spacing:-.005em}
h3{margin:0;font-size:var(--tool);line-height:1.4}
.small{font-size:var(--small)}
`),
  controls: sheet(`
.btn{display:inline-flex;align-items:center;justify-content:center;gap:8px;min-height:36px;padding:4px 14px;border:1px solid var(--edge);border-radius:6px;background:var(--raised);color:var(--ink);font:500 var(--tool)/1.4 var(--sans);text-decoration:none;white-space:nowrap;cursor:pointer}
.btn:hover{background:var(--hover)}
.btn :is(svg,.quiet){flex:none}
.btn.primary{border-color:var(--accent);background:var(--accent);color:var(--on-accent);font-weight:600}
.btn.primary .quiet{color:inherit}
.btn.primary:hover{background:color-mix(in srgb,var(--accent) 86%,var(--ink))}
.btn.bare{padding-inline:8px;border-color:transparent;background:none;color:var(--accent)}
.btn.bare:hover{background:var(--hover)}
.btn.small{min-height:28px;padding:2px 10px;font-size:var(--small)}
.btn:is(:disabled,[aria-disabled=true]){border-style:dashed;background:none;color:var(--quiet);cursor:default}
.seg{display:inline-flex;flex:none;border:1px solid var(--edge);border-radius:6px;background:var(--raised)}
.seg>*{margin:0}
.seg :is(a,label){display:inline-flex;align-items:center;min-height:34px;padding-inline:14px;color:var(--quiet);font-weight:500;text-decoration:none;cursor:pointer}
.seg>*+*{border-inline-start:1px solid var(--line)}
.seg>:first-child{border-start-start-radius:5px;border-end-start-radius:5px}
.seg>:last-child{border-start-end-radius:5px;border-end-end-radius:5px}
.seg :is(a,label):hover{background:var(--hover);color:var(--ink)}
.seg :is([aria-current],label:has(:checked)){background:var(--ink);color:var(--paper)}
.seg input{position:absolute;opacity:0;pointer-events:none}
.seg label:has(:focus-visible){outline:2px solid var(--accent);outline-offset:2px}
.seg.small :is(a,label){min-height:26px;padding-inline:10px}
.buttons{display:flex;flex-wrap:wrap;align-items:center;gap:8px}
@media (max-width:760px){.btn{min-height:40px}.btn.small{min-height:32px}.seg :is(a,label){min-height:38px}}
`),
  chips: sheet(`
.chips{display:flex;flex-wrap:wrap;gap:8px;margin:0;padding:0;list-style:none}
.chips>li{margin:0}
.chip{display:inline-flex;align-items:center;gap:6px;min-height:34px;padding:2px 12px;border:1px solid var(--edge);border-radius:18px;background:var(--raised);color:var(--ink);font:400 var(--tool)/1.4 var(--sans);text-decoration:none;white-space:nowrap;cursor:pointer;list-style:none}
.chip:hover{background:var(--hover);text-decoration:none}
.chip:focus-visible{border-radius:18px}
.chip.on{border-color:var(--accent);background:var(--wash);font-weight:500}
.chip :is(svg,.count){flex:none;color:var(--quiet)}
.chip.on svg:last-child{margin-inline-end:-4px}
.chip.offer{border-style:dashed}
@media (max-width:760px){.chip{min-height:38px;border-radius:20px}}
`),
  /** Chips that open what stands under them. */
  menus: sheet(`
.chip::-webkit-details-marker{display:none}
.chip::before{content:none}
:is(.chip.open,details[open]>.chip){border-color:var(--accent);box-shadow:0 0 0 2px var(--accent)}
`),
  tags: sheet(`
.token{display:inline-flex;align-items:center;gap:4px;padding:2px 8px;border-radius:4px;background:var(--wash);color:var(--ink);font-weight:500;text-decoration:none;white-space:nowrap}
.tag{display:inline-flex;align-items:center;gap:5px;padding:1px 8px;border-radius:4px;background:var(--land);color:var(--ink);font-size:var(--small);font-weight:500;line-height:1.5;white-space:nowrap}
.tag.sale{color:var(--sale)}
.tag.rental{color:var(--rental)}
.tag.new{color:var(--accent)}
.tag.pending{color:var(--warning)}
.tag.withdrawn{color:var(--error)}
.price{font:600 var(--large)/1.4 var(--sans);font-variant-numeric:tabular-nums}
.price small{font-size:var(--small);font-weight:400;color:var(--quiet)}
.drop{color:var(--accent);font-weight:500}
.rise{color:var(--sale);font-weight:500}
`),
  panels: sheet(`
.panel{display:flex;flex-direction:column;margin:0;border:1px solid var(--line);border-radius:6px;background:var(--raised);font-size:var(--tool);line-height:1.5}
.panel>header{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;min-height:44px;padding:8px 16px;border-bottom:1px solid var(--line)}
.panel>header :is(h2,h3){margin:0;font:600 var(--tool)/1.4 var(--sans);letter-spacing:0}
.panel>header>:nth-child(2){margin-inline-start:auto}
.panel>.in{padding:16px}
.panel>footer{display:flex;flex-wrap:wrap;gap:4px 16px;margin-top:auto;padding:10px 16px;border-top:1px solid var(--line);font-size:var(--small);color:var(--quiet)}
.panel>.middle{display:grid;flex:1;align-content:center;justify-items:center;gap:6px;padding:24px;text-align:center}
.middle :is(h2,h3){margin:0;font:400 var(--large)/1.3 var(--serif)}
.middle p{margin:0;max-width:36ch;color:var(--quiet)}
.middle>.buttons{justify-content:center;margin-top:8px}
`),
  notices: sheet(`
.notice{display:grid;grid-template-columns:auto minmax(0,1fr) auto;gap:2px 14px;align-items:center;margin:0;padding:14px 16px;border:1px solid var(--line);border-inline-start:3px solid var(--accent);border-radius:6px;background:var(--raised);font-size:var(--tool);line-height:1.5}
.notice :is(strong,h2,h3){margin:0;font:600 var(--tool)/1.5 var(--sans);letter-spacing:0}
.notice p{grid-column:2;margin:0;font-size:var(--small);color:var(--quiet);overflow-wrap:anywhere}
.notice>.buttons{grid-column:3;grid-row:1/3}
.notice.warning{border-inline-start-color:var(--warning)}
.notice.error{border-inline-start-color:var(--error)}
@media (max-width:760px){.notice{grid-template-columns:auto minmax(0,1fr)}.notice>.buttons{grid-column:1/-1;grid-row:auto;margin-top:8px}}
`),
  cards: sheet(`
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(176px,1fr));gap:24px 20px;margin:0;padding:0;list-style:none}
.cards>li{margin:0}
.card{position:relative;display:flex;flex-direction:column;font-size:var(--small);line-height:1.5;color:var(--ink);text-decoration:none}
.card img{display:block;width:100%;height:auto;margin-bottom:8px;aspect-ratio:25/18;object-fit:cover;border-radius:6px;background:var(--land)}
.card p{margin:0;overflow-wrap:anywhere}
.card .tag{position:absolute;inset-inline-start:8px;top:8px;background:var(--raised)}
.card a{color:inherit;text-decoration:none}
.card a::after{content:"";position:absolute;inset:0}
.card:has(a:focus-visible){outline:2px solid var(--accent);outline-offset:2px;border-radius:6px}
.card a:focus-visible{outline:0}
.card:hover .address{text-decoration:underline;text-underline-offset:.2em}
@media (max-width:760px){.cards{grid-template-columns:repeat(2,minmax(0,1fr));gap:24px 12px}}
`),
  rows: sheet(`
.rows{margin:0;padding:0;list-style:none}
.row{position:relative;display:grid;grid-template-columns:148px minmax(0,1fr);gap:0 14px;margin:0;padding:12px 20px;border-bottom:1px solid var(--line);font-size:var(--tool);line-height:1.5}
.row img,.row .no-photo{display:block;width:100%;aspect-ratio:148/98;object-fit:cover;border-radius:6px;background:var(--land)}
.row p{margin:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.row .first{display:flex;align-items:center;gap:4px 10px}
.row a{color:inherit;text-decoration:none}
.row a.whole::after{content:"";position:absolute;inset:0}
.row:hover,.row.lit{background:var(--hover)}
.row.lit{box-shadow:inset 3px 0 var(--ink)}
.row .meta{font-size:var(--small);color:var(--quiet)}
.row.loading :is(i,b){display:block;border-radius:3px;background:var(--hover)}
.row.loading b{width:100%;aspect-ratio:148/98;border-radius:6px}
.row.loading i{height:10px;margin:9px 0;width:74%}
.row.loading i:first-child{width:40%}
.sheet{border-radius:14px 14px 0 0;background:var(--paper);box-shadow:var(--shadow)}
.sheet>.handle{display:block;width:40px;height:4px;margin:8px auto;border-radius:2px;background:var(--edge)}
@media (max-width:760px){.row{grid-template-columns:116px minmax(0,1fr);padding-inline:16px}.row p:not(.first){white-space:normal;overflow-wrap:anywhere}.row .area{display:none}}
`),
  tables: sheet(`
table.data{width:100%;border-collapse:collapse;font-size:var(--small);line-height:1.5;text-align:start;font-variant-numeric:tabular-nums}
.data :is(th,td){height:36px;min-width:0;padding:6px 12px;border:0;background:none;font-family:inherit;text-align:start;vertical-align:middle}
.data :is(th,td):first-child{padding-inline-start:16px}
.data :is(th,td):last-child{padding-inline-end:16px}
.data thead th{border-bottom:1px solid var(--line);color:var(--quiet);font-weight:500;vertical-align:bottom}
.data thead a{color:inherit;text-decoration:none}
.data thead a:hover{color:var(--ink);text-decoration:underline}
.data thead [aria-sort]{color:var(--ink);font-weight:600}
.data tbody tr+tr>*{border-top:1px solid var(--line)}
.data tbody th{font-weight:500}
.data tbody tr:hover>*{background:var(--hover)}
.data .number{text-align:end}
`),
  fields: sheet(`
.field{display:grid;gap:4px;font-size:var(--tool)}
.field :is(input,select){width:100%;min-height:40px;padding:4px 12px;border:1px solid var(--edge);border-radius:6px;background:var(--raised);color:var(--ink);font:inherit}
.field .hint{margin:0;font-size:var(--small);color:var(--quiet)}
.field :is(label,span:first-child){font-size:var(--small);font-weight:600}
.field [aria-invalid=true]{border-color:var(--error);box-shadow:0 0 0 1px var(--error)}
.field:has([aria-invalid=true]) :is(label,span:first-child,.hint){color:var(--error)}
`),
  code: sheet(`
.code-box{overflow:hidden;margin:0;border:1px solid var(--line);border-radius:6px;background:var(--land);font-size:var(--small)}
.code-box>header{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;min-height:40px;padding-inline:14px 6px;border-bottom:1px solid var(--line);color:var(--quiet)}
.code-box>header>:last-child:not(:first-child){margin-inline-start:auto}
.code-box pre{margin:0;padding:14px;max-width:none;border:0;background:none;font:var(--small)/1.65 var(--mono);white-space:pre-wrap;overflow-wrap:anywhere}
.code-box .line{display:block;min-height:1.65em;padding-inline-start:4ch;text-indent:-4ch}
.code-box .key{color:var(--rental)}
.code-box .string{color:var(--accent)}
.code-box .number{color:var(--sale)}
.code-box .comment{color:var(--quiet)}
.code-box>footer{padding:10px 14px;border-top:1px solid var(--line);color:var(--quiet)}
`),
} as const;

/** All of them. Comes after FRAME_STYLE, and before the styles of one page. */
export const PARTS_STYLE = Object.values(PARTS).join('');
