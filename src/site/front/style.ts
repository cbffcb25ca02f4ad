// Stylesheet of the front page: of the parts only those that it has, so that it stays small.

import { MAP_STYLE } from '../../page/map/map-style.ts';
import { PARTS } from '../../page/parts-style.ts';
import { FRAME_STYLE, sheet } from '../../page/style.ts';
import { HERO_STYLE } from './hero.ts';
import { NUMBERS_STYLE } from './numbers.ts';
import { REQUEST_STYLE } from './request.ts';

const OWN_STYLE = sheet(`
.front main{max-width:none;padding:0}
.front main>:not(.hero){max-width:1280px;margin-inline:auto;padding-inline:var(--margin)}
.front main>.plain{padding-top:48px}
.plain p{max-width:60ch;margin:12px 0 24px;color:var(--quiet)}
.front main h2{margin:56px 0 16px}
.heading{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:4px 20px;margin:56px 0 16px}
.front main .heading h2{margin:0}
.front .note{margin-block:16px;padding-block:12px;background:var(--wash)}
.front .cards{grid-template-columns:repeat(6,minmax(0,1fr))}
.ways{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:20px;margin:0;padding:0;list-style:none}
.ways li{position:relative;display:flex;flex-direction:column;padding:20px;border:1px solid var(--line);border-radius:6px;background:var(--raised)}
.ways li:hover{background:var(--hover)}
.ways .sign{min-height:64px;margin:0;font:var(--small)/1.65 var(--mono);overflow-wrap:anywhere}
.ways .sign svg{display:block;width:96px;height:52px}
.ways h3{margin:12px 0 4px;font:400 var(--large)/1.3 var(--serif)}
.ways p{flex:1;margin:0 0 16px;font-size:var(--tool);color:var(--quiet)}
.ways a{font-size:var(--small);text-decoration:none}
.ways a:first-of-type::after{content:"";position:absolute;inset:0}
.ways li:has(a:focus-visible){outline:2px solid var(--accent);outline-offset:2px}
@media (max-width:1000px){.front .cards{grid-template-columns:repeat(3,minmax(0,1fr))}.ways{grid-template-columns:repeat(2,minmax(0,1fr))}}
@media (max-width:560px){.front .cards{grid-template-columns:repeat(2,minmax(0,1fr))}.ways{grid-template-columns:minmax(0,1fr)}.ways .sign{display:none}.ways h3{margin-top:0}.front main h2{margin-top:40px}}
`);

export const FRONT_STYLE = [
  FRAME_STYLE,
  MAP_STYLE,
  PARTS.titles,
  PARTS.controls,
  PARTS.chips,
  PARTS.tags,
  PARTS.cards,
  PARTS.code,
  OWN_STYLE,
  HERO_STYLE,
  NUMBERS_STYLE,
  REQUEST_STYLE,
].join('');
