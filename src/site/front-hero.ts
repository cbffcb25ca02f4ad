// Head of the front page: the market as a map, with the title and a search box over it.

import { type Html, html } from '../page/html.ts';
import { icon } from '../page/icons.ts';
import { sheet } from '../page/style.ts';

const KINDS = [
  ['sale', 'Buy'],
  ['rental', 'Rent'],
] as const;

export interface FrontCounts {
  readonly sales: number;
  readonly rentals: number;
}

/** Both lead to the explorer without script too: the form is a plain GET. */
export function frontHero(map: Html, { sales, rentals }: FrontCounts): Html {
  const kinds = KINDS.map(
    ([value, title], at) =>
      html`<label><input type="radio" name="for" value="${value}"${at === 0 ? html` checked` : null}>${title}</label>`,
  );
  return html`<section class="hero"><div class="hero-map">${map}</div><div class="hero-text"><h1>Every home on the market, on one map</h1>
<p>${sales.toLocaleString('en-US')} for sale and ${rentals.toLocaleString('en-US')} to rent. Every count is exact, and every home says where its data comes from and how old it is.</p>
<form class="hero-find" action="explore" role="search"><div class="seg">${kinds}</div><div class="hero-box">${icon('search')}<input type="search" name="find" aria-label="Place, address or listing number" placeholder="Place, address or number" autocomplete="off"><button class="btn primary">Search</button></div></form></div></section>`;
}

export const HERO_STYLE = sheet(`
.front main{max-width:none;padding:0}
.front main>:not(.hero){max-width:1280px;margin-inline:auto;padding-inline:var(--margin)}
.front main>.note{margin-block:16px}
.hero{position:relative;min-height:560px;overflow:hidden;background:var(--land);border-bottom:1px solid var(--line)}
.hero-map{position:absolute;inset:0}
.hero-map>svg{display:block;width:100%;height:100%}
.hero-text{position:relative;max-width:1280px;margin-inline:auto;padding:72px var(--margin);pointer-events:none}
.hero-text>*{max-width:500px;pointer-events:auto}
.hero h1{font-size:2.75rem;line-height:1.1}
.hero p{margin:16px 0 24px;max-width:400px}
.hero-find{padding:8px;border:1px solid var(--edge);border-radius:8px;background:var(--raised);box-shadow:var(--shadow)}
.hero .seg{display:flex;gap:4px;margin-bottom:4px}
.hero .seg label{padding:6px 14px;border-radius:6px;color:var(--quiet);font-weight:500;cursor:pointer}
.hero .seg label:has(:checked){background:var(--hover);color:var(--ink)}
.hero .seg label:has(:focus-visible){outline:2px solid var(--accent)}
.hero .seg input{position:absolute;opacity:0}
.hero-box{display:flex;align-items:center;gap:10px;padding-inline-start:8px}
.hero-box input{flex:1;min-width:0;min-height:44px;border:0;outline:0;background:none;color:var(--ink);font:inherit}
.hero-box input::placeholder{color:var(--quiet);opacity:1}
.hero-box:focus-within{outline:2px solid var(--accent);outline-offset:1px;border-radius:6px}
.hero-box svg{flex:none}
.hero .btn{min-height:44px;padding-inline:20px;border:0;border-radius:6px;background:var(--accent);color:var(--on-accent);font:600 var(--tool)/1.4 var(--sans);cursor:pointer}
.home-card{position:relative}
.home-card a{color:inherit;text-decoration:none}
.home-card a::after{content:"";position:absolute;inset:0}
@media (max-width:760px){.hero{min-height:0}.hero h1{font-size:1.75rem}.hero-text{padding-block:24px 16px;background:var(--paper)}.hero-map{position:relative;height:320px;overflow:hidden}.hero-map>svg{position:absolute;right:0;width:auto;height:100%}.hero{display:flex;flex-direction:column-reverse}}
`);
