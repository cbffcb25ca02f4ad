// Base stylesheet of every page: colours, fonts, and a header with the scale bar of a map.
import { hash } from 'node:crypto';
import { DARK, LIGHT, properties } from './palette.ts';

export const FRAME_STYLE = sheet(`
:root{color-scheme:light dark;${properties(LIGHT)};--sans:ui-sans-serif,system-ui,sans-serif;
--serif:ui-serif,Georgia,"Times New Roman",serif;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;
--title:2.0736rem;--head:1.2rem;--shade:#1D232040}
@media (prefers-color-scheme:dark){:root{${properties(DARK)};--shade:#000000a0}}
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);font:1rem/1.6 var(--sans);scroll-padding-top:24px;
-webkit-text-size-adjust:100%}
body{margin:0}
a{color:var(--accent);text-underline-offset:.2em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:16px;top:-64px;padding:8px 16px;background:var(--paper);border:1px solid var(--accent);
border-radius:6px;z-index:1}
.skip:focus{top:8px}
.top,.sub,main{max-width:1280px;margin:0 auto;padding:0 32px}
.top{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:0 24px;min-height:56px}
.home{display:inline-flex;align-items:center;gap:12px;min-height:40px;font:600 var(--head)/1 var(--serif);color:var(--ink);
text-decoration:none;letter-spacing:.01em}
.home svg{width:28px;height:28px}
:is(header,footer) ul{display:flex;flex-wrap:wrap;gap:0 24px;margin:0;padding:0;list-style:none;max-width:none}
:is(header,footer) li{margin:0}
:is(header,footer) li a{display:inline-block;padding:8px 0 6px;color:var(--quiet);text-decoration:none;border-bottom:2px solid transparent}
:is(header,footer) li a:hover{color:var(--ink);border-color:var(--line)}
:is(header,footer) li a[aria-current]{color:var(--ink);border-color:var(--accent)}
.below{border-bottom:1px solid var(--line)}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:6px;
background:linear-gradient(90deg,var(--paper) 50%,transparent) 0 0/32px 100% no-repeat local,
linear-gradient(270deg,var(--paper) 50%,transparent) 100% 0/32px 100% no-repeat local,
linear-gradient(90deg,var(--shade),transparent) 0 0/12px 100% no-repeat scroll,
linear-gradient(270deg,var(--shade),transparent) 100% 0/12px 100% no-repeat scroll}
.wide::-webkit-scrollbar{height:10px}
.wide::-webkit-scrollbar-thumb{background:var(--quiet);border:2px solid var(--paper);border-radius:5px}
.scale{height:5px;border:solid var(--ink);border-width:1px 0;
background:repeating-linear-gradient(90deg,var(--ink) 0 64px,var(--paper) 64px 128px)}
@media (max-width:600px){.top,.sub,main{padding-left:16px;padding-right:16px}.top{min-height:52px}:is(header,footer) ul{gap:0 16px}}
`);

/** A stylesheet on one line. */
export function sheet(text: string): string {
  return text.replaceAll('\n', '');
}

/** The CSP source of an inline script or style. */
export function hashSource(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
