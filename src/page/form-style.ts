// Stylesheet of the pages with forms.

import { PARTS } from './parts-style.ts';
import { FRAME_STYLE, sheet } from './style.ts';

/** The whole stylesheet; the content security policy allows it by its hash. */
export const FORM_STYLE = [
  FRAME_STYLE,
  PARTS.titles,
  PARTS.controls,
  PARTS.tags,
  PARTS.notices,
  PARTS.fields,
  sheet(`
main{padding-top:28px;font-size:var(--tool)}
main>*{max-width:640px}
main>.board,main>.consent{max-width:none}
h2{margin:40px 0 8px}
p{margin:8px 0 16px;overflow-wrap:anywhere}
.lead{margin:12px 0 24px;font-size:1rem}
.hint{margin:4px 0;font-size:var(--small);color:var(--quiet)}
code{font-family:var(--mono);font-size:var(--small);overflow-wrap:anywhere}
.long{display:block}
.facts{margin:24px 0;border-top:1px solid var(--line)}
.grant .facts{margin-top:8px}
.facts>div{display:grid;grid-template-columns:112px minmax(0,1fr);gap:0 16px;padding:9px 0;border-bottom:1px solid var(--line)}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
dd ul{margin:0;padding:0;list-style:none}
dd li+li{margin-top:4px}
dd li code{color:var(--quiet)}
.notice{display:block;margin:24px 0;overflow-wrap:anywhere}
.notice p{font-size:inherit;color:inherit}
.notice.warning strong:first-child{color:var(--warning)}
.notice.error strong:first-child{color:var(--error)}
.field{margin-bottom:12px}
.field input[type=password]{font-family:var(--mono)}
.field .hint{margin:0}
:is(form,.choices)+.hint{margin-top:12px}
.hint+.btn{margin-top:8px}
.fault{margin:4px 0;color:var(--error)}
.choices{display:flex;flex-wrap:wrap;gap:8px}
.intro .notice{margin:16px 0}
.decision section+section{margin-top:20px;padding-top:12px;border-top:1px solid var(--line)}
.decision .field{margin-bottom:16px}
.last{margin-top:32px}
.state{margin:0}
.active strong,.succeeded{color:var(--accent)}
.paused strong,.unverified strong,.failing strong,.failed,.pending{color:var(--warning)}
.disabled strong,.parked{color:var(--error)}
.cards{display:grid;gap:20px}
.card{display:flex;flex-direction:column;padding:16px 20px 20px;background:var(--raised);border:1px solid var(--line);border-radius:6px}
.card h2{margin:0}
.card .facts{flex:1;margin:16px 0 20px}
.board .facts{border:0;margin:16px 0 20px}
.board .facts>div{padding:7px 0}
.board .cards+.choices{margin-top:24px}
.board p{max-width:68ch}
.board dd li:has(code)+li{margin-top:12px}
.offer{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px;padding-top:16px;border-top:1px solid var(--line)}
.plans .facts>div:last-child{border-bottom:0}
.offer+.offer{margin-top:16px}
.offer p,.card .hint{margin:0}
.card .offer+.hint{margin-top:16px}
.offer .quiet{display:block}
.key{font-size:var(--large);user-select:all}
.about .bare{margin:-8px 0 8px -8px}
.about .state{margin:8px 0 16px}
.log h2{margin-top:0}
.log section+section{margin-top:40px}
.entries{margin:0;padding:0;list-style:none;border-top:1px solid var(--line)}
.entries>li{padding:12px 0;border-bottom:1px solid var(--line)}
.entries p{margin:0}
.entries .fault,.entries .hint{margin-top:4px}
.entries details,.entries p:has(button){margin-top:8px}
main summary{display:inline-block;color:var(--accent);cursor:pointer}
main summary::before{content:"+ "}
main details[open] summary::before{content:"\\2212 "}
main summary:hover{text-decoration:underline;text-underline-offset:.2em}
pre{margin:8px 0 16px;padding:12px 16px;background:var(--land);border:1px solid var(--line);border-radius:6px;max-width:80ch;font:var(--small)/1.65 var(--mono)}
details pre{max-height:320px;overflow-y:auto}
.wide{margin:16px 0}
table{width:100%;border-collapse:collapse;font-size:var(--small);text-align:left;font-variant-numeric:tabular-nums}
th,td{padding:8px 12px;vertical-align:bottom}
thead th{border-bottom:1px solid var(--line);color:var(--quiet);font-weight:500}
tbody tr+tr>*{border-top:1px solid var(--line)}
tbody th{font-weight:500}
thead th+th,td{text-align:right}
@media (min-width:960px){
.cards{grid-template-columns:repeat(2,minmax(0,1fr))}
.plans{grid-template-columns:repeat(auto-fit,minmax(304px,1fr))}
.one{display:grid;grid-template-columns:416px minmax(0,1fr);gap:0 64px;align-items:start}
.consent{display:grid;grid-template:"intro decision" auto "details decision" 1fr/minmax(0,1fr) 416px;gap:0 64px}
.intro{grid-area:intro}
.decision{grid-area:decision;align-self:start;position:sticky;top:24px;padding:20px;background:var(--raised);border:1px solid var(--line);border-radius:6px}
.details{grid-area:details}
}
@media (max-width:760px){
main{padding-top:20px}
.lead{margin:8px 0 16px}
.card{padding:16px}
.facts>div{display:block}
th,td{padding:8px 6px}
}
`),
].join('');
