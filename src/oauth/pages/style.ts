// Owns how the pages of the authorization server are set: one narrow column, with room around what is decided.
import { FRAME_STYLE, sheet } from '../../page/style.ts';

/** The whole stylesheet; its hash stands in the policy of the pages. */
export const STYLE =
  FRAME_STYLE +
  sheet(`
.top{max-width:640px}
main{max-width:640px;margin:0 auto;padding:40px 24px 64px}
h1{margin:0;font:400 var(--title)/1.2 var(--serif);letter-spacing:-.01em;text-wrap:balance}
h2{margin:40px 0 8px;font:600 var(--head)/1.4 var(--serif);overflow-wrap:anywhere}
p{margin:8px 0 16px;overflow-wrap:anywhere}
.lead{margin:16px 0 24px}
.hint{margin:4px 0;color:var(--quiet)}
code{font-family:var(--mono);overflow-wrap:anywhere}
.long{display:block}
.facts{margin:24px 0;border-top:1px solid var(--line)}
.facts>div{display:grid;grid-template-columns:112px minmax(0,1fr);gap:0 16px;padding:12px 0;border-bottom:1px solid var(--line)}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
dd ul{margin:0;padding:0;list-style:none}
dd li code{color:var(--quiet)}
.caution{margin:24px 0;padding:12px 16px;background:var(--land);border:1px solid var(--line);border-left:4px solid var(--warning);border-radius:6px}
.caution p{margin:0}
.caution strong:first-child{color:var(--warning)}
.notice{padding:12px 16px;background:var(--water);border-radius:6px}
.field label{font-weight:600}
.fault{margin:4px 0;color:var(--error)}
input[type=password]{display:block;width:100%;margin:8px 0 16px;padding:11px 12px;font:1rem/1.5 var(--mono);color:var(--ink);background:var(--paper);border:1px solid var(--quiet);border-radius:6px}
input[aria-invalid]{border:2px solid var(--error)}
button{padding:11px 20px;font:600 1rem/1.5 var(--sans);color:var(--accent);background:none;border:1px solid var(--accent);border-radius:6px;cursor:pointer}
.primary{color:var(--paper);background:var(--accent)}
.plain{border-color:transparent}
.row{display:flex;flex-wrap:wrap;gap:8px 16px}
.wide{margin:16px 0;overflow-x:auto;border:1px solid var(--line);border-radius:6px}
table{width:100%;border-collapse:collapse;text-align:left;font-variant-numeric:tabular-nums}
`);
