// Stylesheet of the pages with forms.

import { FRAME_STYLE, sheet } from './style.ts';

/** The whole stylesheet; the content security policy allows it by its hash. */
export const FORM_STYLE =
  FRAME_STYLE +
  sheet(`
main{padding-top:40px;padding-bottom:64px}
main>*{max-width:640px}
main>.board,main>.consent{max-width:none}
h1{margin:0;font:400 var(--title)/1.2 var(--serif);font-variant-numeric:lining-nums;letter-spacing:-.01em;text-wrap:balance;overflow-wrap:anywhere}
h2{margin:40px 0 8px;font:400 var(--head)/1.3 var(--serif);font-variant-numeric:lining-nums;overflow-wrap:anywhere}
p{margin:8px 0 16px;overflow-wrap:anywhere}
.lead{margin:16px 0 24px}
.hint{margin:4px 0;color:var(--quiet)}
code{font-family:var(--mono);overflow-wrap:anywhere}
.long{display:block}
.facts{margin:24px 0;border-top:1px solid var(--line)}
.grant .facts{margin-top:8px}
.facts>div{display:grid;grid-template-columns:112px minmax(0,1fr);gap:0 16px;padding:12px 0;border-bottom:1px solid var(--line)}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
dd ul{margin:0;padding:0;list-style:none}
dd li+li{margin-top:4px}
dd li code{color:var(--quiet)}
.caution{margin:24px 0;padding:12px 16px;background:var(--land);border:1px solid var(--line);border-left:4px solid var(--warning);border-radius:6px}
.caution p{margin:0}
.caution strong:first-child{color:var(--warning)}
.notice{margin:24px 0;padding:12px 16px;background:var(--water);border-radius:6px}
.field label{font-weight:600}
.fault{margin:4px 0;color:var(--error)}
input[type=password]{display:block;width:100%;margin:8px 0 16px;padding:11px 12px;font:1rem/1.5 var(--mono);color:var(--ink);background:var(--paper);border:1px solid var(--quiet);border-radius:6px}
input[aria-invalid]{border:2px solid var(--error)}
button{padding:11px 20px;font:600 1rem/1.5 var(--sans);color:var(--accent);background:none;border:1px solid var(--accent);border-radius:6px;cursor:pointer}
.button{display:inline-block;padding:11px 20px;font:600 1rem/1.5 var(--sans);text-decoration:none;border:1px solid var(--accent);border-radius:6px;overflow-wrap:anywhere}
.primary{color:var(--paper);background:var(--accent)}
.plain{padding-left:0;padding-right:0;border-color:transparent}
button:hover,.button:hover{text-decoration:underline;text-underline-offset:.2em}
.choices{display:flex;flex-wrap:wrap;gap:8px 24px}
.intro .caution{margin:16px 0}
.decision section+section{margin-top:16px;padding-top:8px;border-top:1px solid var(--line)}
.last{margin-top:32px}
.wrong{background:var(--land);border:1px solid var(--line);border-left:4px solid var(--error)}
.quiet{color:var(--quiet)}
.state{margin:0}
.active strong,.succeeded{color:var(--accent)}
.paused strong,.unverified strong,.failing strong,.failed,.pending{color:var(--warning)}
.disabled strong,.parked{color:var(--error)}
.cards{display:grid;gap:24px}
.card{display:flex;flex-direction:column;padding:16px 24px 24px;border:1px solid var(--line);border-radius:6px}
.card h2{margin:0}
.card .facts{flex:1;margin:16px 0 24px}
.board .facts{border:0;margin:16px 0 24px}
.board .facts>div{padding:8px 0}
.board .cards+.choices{margin-top:24px}
.board .choices{gap:8px 16px}
.board p{max-width:68ch}
.board dd li:has(code)+li{margin-top:12px}
.offer{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px;padding-top:16px;border-top:1px solid var(--line)}
.plans .facts>div:last-child{border-bottom:0}
.offer+.offer{margin-top:16px}
.offer p,.card .hint{margin:0}
.card .offer+.hint{margin-top:16px}
.offer .quiet{display:block}
.key{font-size:var(--head);user-select:all}
.about .plain{margin-top:-16px}
.about .state{margin:8px 0 16px}
.log h2{margin-top:0}
.log section+section{margin-top:40px}
.entries{margin:0;padding:0;list-style:none;border-top:1px solid var(--line)}
.entries>li{padding:12px 0;border-bottom:1px solid var(--line)}
.entries p{margin:0}
.entries .fault,.entries .hint{margin-top:4px}
.entries details,.entries p:has(button){margin-top:8px}
summary{display:inline-block;color:var(--accent);cursor:pointer}
summary::before{content:"+ "}
details[open] summary::before{content:"\\2212 "}
summary:hover{text-decoration:underline;text-underline-offset:.2em}
pre{margin:8px 0 16px;padding:12px 16px;background:var(--land);border:1px solid var(--line);border-radius:6px;max-width:80ch;font:.875rem/1.6 var(--mono)}
details pre{max-height:320px;overflow-y:auto}
.wide{margin:16px 0}
table{width:100%;border-collapse:collapse;text-align:left;font-variant-numeric:tabular-nums}
th,td{padding:8px 12px;vertical-align:bottom}
thead th{background:var(--land);border-bottom:1px solid var(--line)}
tbody tr+tr>*{border-top:1px solid var(--line)}
tbody th{font-weight:400}
thead th+th,td{text-align:right}
td{font-family:var(--mono)}
@media (min-width:960px){
.cards{grid-template-columns:repeat(2,minmax(0,1fr))}
.plans{grid-template-columns:repeat(auto-fit,minmax(304px,1fr))}
.one{display:grid;grid-template-columns:416px minmax(0,1fr);gap:0 64px;align-items:start}
.consent{display:grid;grid-template:"intro decision" auto "details decision" 1fr/minmax(0,1fr) 416px;gap:0 64px}
.intro{grid-area:intro}
.decision{grid-area:decision;align-self:start;position:sticky;top:24px;padding:16px 24px;border:1px solid var(--line);border-radius:6px}
.details{grid-area:details}
}
@media (max-width:600px){
main{padding-top:24px;padding-bottom:48px}
.lead{margin:8px 0 16px}
.choices{gap:0 8px}
.card{padding:16px}
.facts>div{display:block}
th,td{padding:8px 6px}
td{font-family:inherit}
}
`);
