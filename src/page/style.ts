// Base stylesheet of every page: tokens, fonts, links, and the frame of header and footer.
import { hash } from 'node:crypto';
import { DARK, LIGHT, properties } from './palette.ts';
import { site } from './site.ts';

export const FRAME_STYLE = sheet(`
:root{color-scheme:light dark;${properties(LIGHT)};
--sans:ui-sans-serif,system-ui,sans-serif;
--serif:ui-serif,Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif;
--mono:ui-monospace,SFMono-Regular,"Cascadia Mono",Menlo,Consolas,monospace;
--small:.8125rem;--tool:.9375rem;--large:1.1875rem;--head:1.4375rem;--title:2.0625rem;
--margin:32px;--shadow:0 1px 2px #1d232014,0 8px 24px #1d23201f;--shade:#1D232040}
@media (prefers-color-scheme:dark){:root{${properties(DARK)};--shadow:0 1px 2px #0006,0 8px 24px #00000080;--shade:#000000a0}
img{filter:brightness(.86)}}
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);font:1rem/1.6 var(--sans);scroll-padding-top:24px;-webkit-text-size-adjust:100%}
body{display:flex;flex-direction:column;min-height:100vh;min-height:100dvh;margin:0}
main{flex:1 0 auto;width:100%}
a{color:var(--accent);text-underline-offset:.2em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:6px}
.visually-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.quiet{color:var(--quiet)}
.skip{position:absolute;left:16px;top:-64px;padding:8px 16px;background:var(--raised);border:1px solid var(--accent);border-radius:6px;z-index:9}
.skip:focus{top:8px}
main,.top,.sub,.foot{max-width:1280px;margin-inline:auto;padding-inline:var(--margin)}
.site-header,.site-footer{font-size:var(--tool);line-height:1.5;font-variant-numeric:tabular-nums}
:is(.site-header,.site-footer) ul{margin:0;padding:0;max-width:none;list-style:none}
:is(.site-header,.site-footer) li{margin:0}
.site-header{position:relative;z-index:5}
.top{display:flex;align-items:center;gap:8px 24px;min-height:56px}
.top.fill{max-width:none;padding-inline:20px}
.home{display:inline-flex;align-items:center;gap:10px;min-height:40px;font:600 var(--large)/1.1 var(--serif);color:var(--ink);text-decoration:none;overflow-wrap:anywhere}
.home :is(svg,img){flex:none;width:28px;height:28px;object-fit:contain}
.top nav>ul{display:flex;gap:4px}
.top nav a{display:block;padding:8px 10px;border-radius:6px;color:var(--quiet);text-decoration:none}
.top nav a:hover{background:var(--hover);color:var(--ink)}
.top nav a[aria-current]{color:var(--ink);font-weight:600}
.top .find{display:flex;align-items:center;gap:8px;flex:0 1 340px;min-width:0;height:36px;padding-inline:10px;background:var(--raised);border:1px solid var(--edge);border-radius:6px}
.find svg{flex:none;width:16px;height:16px;color:var(--quiet)}
.find input{flex:1;min-width:0;width:100%;padding:0;border:0;outline:0;background:none;color:var(--ink);font:inherit}
.find ::placeholder{color:var(--quiet);opacity:1}
.find:focus-within{outline:2px solid var(--accent);outline-offset:1px}
.top .end{display:flex;align-items:center;gap:20px;margin-inline-start:auto}
.fresh{display:inline-flex;align-items:center;gap:8px;font-size:var(--small);color:var(--quiet);white-space:nowrap}
.dot{display:inline-block;flex:none;width:8px;height:8px;border-radius:50%;background:var(--accent)}
.dot.warning{background:none;border:2px solid var(--warning);border-radius:1px;transform:rotate(45deg)}
.dot.error{border-radius:1px;background:var(--error)}
.sign-in{display:inline-flex;align-items:center;min-height:36px;padding-inline:14px;background:var(--raised);border:1px solid var(--edge);border-radius:6px;color:var(--ink);font-weight:500;text-decoration:none;white-space:nowrap}
.sign-in:hover{background:var(--hover)}
.sign-in[aria-current]{border-color:var(--ink);font-weight:600}
.to-account{color:var(--quiet);text-decoration:none}
.to-account:hover{color:var(--ink)}
.menu{display:none}
.menu summary{display:flex;align-items:center;gap:8px;min-height:40px;padding-inline:4px;list-style:none;cursor:pointer}
.menu summary::-webkit-details-marker,.menu summary::before{content:none;display:none}
.menu svg{width:16px;height:16px}
.menu nav{position:absolute;inset-inline:0;top:100%;padding:8px calc(var(--margin) - 10px) 16px;background:var(--raised);border-bottom:1px solid var(--line);box-shadow:var(--shadow)}
.menu nav>ul{flex-direction:column;gap:0}
.top .menu .find{display:none;height:44px;margin:4px 10px 8px}
.menu nav a{padding-block:11px}
.scale{height:5px;border:solid var(--ink);border-width:1px 0;background:repeating-linear-gradient(90deg,var(--ink) 0 64px,var(--paper) 64px 128px)}
.below{border-bottom:1px solid var(--line)}
.sub ul{display:flex;flex-wrap:wrap;gap:0 20px}
.sub a{display:inline-block;padding:10px 0 8px;color:var(--quiet);text-decoration:none;border-bottom:2px solid transparent}
.sub a:hover{color:var(--ink);border-color:var(--line)}
.sub a[aria-current]{color:var(--ink);border-color:var(--accent)}
.site-footer{flex:none;margin-top:72px;background:var(--land);border-top:1px solid var(--line);font-size:var(--small);color:var(--quiet)}
.foot{display:grid;grid-template-columns:2.2fr 1fr 1fr 1fr 1.4fr;gap:24px 32px;padding-block:32px 24px}
.foot p{margin:0;max-width:40ch}
.foot .home+p{margin-top:4px}
.foot h2{margin:0 0 6px;font:600 var(--small)/1.6 var(--sans);color:var(--ink)}
.foot a{color:inherit;text-decoration:none}
.foot li a{display:inline-block;padding-block:3px}
.foot a:hover{color:var(--ink);text-decoration:underline}
.foot li:not(:has(a)){padding-block:3px}
.foot .home{color:var(--ink)}
.foot .dot{margin-inline-end:4px}
.legal{grid-column:1/-1;display:flex;flex-wrap:wrap;gap:4px 24px;padding-top:16px;border-top:1px solid var(--line)}
.legal p{max-width:96ch}
.legal ul{display:flex;flex-wrap:wrap;gap:0 24px;margin-inline-start:auto}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:6px;
background:linear-gradient(90deg,var(--paper) 50%,transparent) 0 0/32px 100% no-repeat local,
linear-gradient(270deg,var(--paper) 50%,transparent) 100% 0/32px 100% no-repeat local,
linear-gradient(90deg,var(--shade),transparent) 0 0/12px 100% no-repeat scroll,
linear-gradient(270deg,var(--shade),transparent) 100% 0/12px 100% no-repeat scroll}
.wide::-webkit-scrollbar{height:10px}
.wide::-webkit-scrollbar-thumb{background:var(--quiet);border:2px solid var(--paper);border-radius:5px}
@media (max-width:1180px){.top .fresh{display:none}}
@media (max-width:1000px){.top>nav,.to-account{display:none}.menu{display:block}.top .find{flex:1}.top .end{gap:12px}
.foot{grid-template-columns:repeat(4,minmax(0,1fr))}.foot>:first-child{grid-column:1/-1}}
@media (max-width:760px){:root{--margin:16px;--title:1.75rem}.top,.top.fill{min-height:52px;gap:8px;padding-inline:16px}.top .find,.top .sign-in{display:none}.top .menu .find{display:flex}
.scale{background:repeating-linear-gradient(90deg,var(--ink) 0 32px,var(--paper) 32px 64px)}
.site-footer{margin-top:48px}.foot{grid-template-columns:repeat(2,minmax(0,1fr))}.foot li a{padding-block:11px}
.legal{flex-direction:column}.legal ul{margin:0}}
@media (prefers-reduced-motion:no-preference){.live .dot{animation:pulse 2s ease-in-out infinite}@keyframes pulse{50%{opacity:.35}}}
`);

/** The stylesheet of a page with the operator's colours after it. */
export function withSiteColours(style: string): string {
  const { light, dark } = site().colours;
  if (Object.keys(light).length === 0) return style;
  return `${style}:root{${properties(light)}}@media (prefers-color-scheme:dark){:root{${properties(dark)}}}`;
}

/** A stylesheet on one line. */
export function sheet(text: string): string {
  return text.replaceAll('\n', '');
}

/** The CSP source of an inline script or style. */
export function hashSource(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
