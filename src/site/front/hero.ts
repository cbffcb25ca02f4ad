// Head of the front page: the market as a map, with the title, a search box, and views to begin with over it.

import { type Html, html } from '../../page/html.ts';
import { icon } from '../../page/icons.ts';
import { sheet } from '../../page/style.ts';

/** `sold` is a choice of the form alone: it leads to homes of that status. */
const KINDS = [
  ['sale', 'Buy'],
  ['rental', 'Rent'],
  ['sold', 'Sold'],
] as const;

/** What the front page shows of the market besides how many homes there are. */
export interface FrontMarket {
  readonly map: Html | null;
  /** What a symbol of the map counts; null: there is none. */
  readonly symbol: 'city' | 'group' | null;
  readonly kind: 'sale' | 'rental';
  /** Views that the search box offers, with links below the root. */
  readonly views: readonly { readonly label: string; readonly href: string; readonly count: number }[];
  /** Listed within the last day. */
  readonly added: { readonly sale: number; readonly rental: number };
  /** Of asking prices and rents, in words; null: none can be given. */
  readonly medians: { readonly sale: string | null; readonly rental: string | null };
}

export interface FrontCounts {
  readonly sales: number;
  readonly rentals: number;
}

/** All of it leads to the explorer without script too: the form is a plain GET. */
export function frontHero(market: FrontMarket, { sales, rentals }: FrontCounts): Html {
  const { map, views, symbol, kind } = market;
  const kinds = KINDS.map(
    ([value, title]) =>
      html`<label><input type="radio" name="for" value="${value}"${value === kind ? html` checked` : null}>${title}</label>`,
  );
  const offered = views.map(
    ({ label, href, count }) =>
      html`<li><a class="chip" href="${href}">${label} <span class="count">${count.toLocaleString('en-US')}</span></a></li>`,
  );
  return html`<section class="hero"><div class="hero-text"><h1>Every home on the market, on one map</h1>
<p>${sales.toLocaleString('en-US')} for sale and ${rentals.toLocaleString('en-US')} to rent. Every count is exact, and every home says where its data comes from and how old it is.</p>
<form class="hero-find" action="explore" role="search"><div class="kinds" role="radiogroup" aria-label="Buy, rent or sold">${kinds}</div><div class="hero-box">${icon('search')}<input type="search" name="find" aria-label="Place, address or listing number" placeholder="Place, address or number" autocomplete="off"><button class="btn primary">Search</button></div></form>${
    offered.length === 0 ? null : html`<ul class="chips" aria-label="Views to begin with">${offered}</ul>`
  }</div>${map === null ? null : html`<div class="hero-map">${map}</div>`}${symbol === null ? null : legend(kind, symbol)}</section>`;
}

function legend(kind: FrontMarket['kind'], symbol: 'city' | 'group'): Html {
  const homes = kind === 'sale' ? 'for sale' : 'to rent';
  return html`<p class="legend"><span class="${kind}"></span>${homes} ${symbol === 'city' ? 'in each place' : 'around here'}</p>`;
}

export const HERO_STYLE = sheet(`
.hero{position:relative;min-height:560px;overflow:hidden;background:var(--land);border-bottom:1px solid var(--line)}
.hero-map{position:absolute;inset:0}
.hero-map>svg{display:block;width:100%;height:100%}
.hero-text{position:relative;z-index:2;max-width:1280px;margin-inline:auto;padding:72px var(--margin) 56px;pointer-events:none}
.hero-text>*{max-width:500px;pointer-events:auto}
.hero h1{font-size:2.75rem;line-height:1.1}
.hero-text>p{margin:16px 0 24px;max-width:400px}
.hero-find{padding:8px;border:1px solid var(--edge);border-radius:8px;background:var(--raised);box-shadow:var(--shadow)}
.kinds{display:flex;gap:4px;margin-bottom:4px}
.kinds label{padding:6px 14px;border-radius:6px;color:var(--quiet);font-weight:500;cursor:pointer}
.kinds label:has(:checked){background:var(--hover);color:var(--ink)}
.kinds label:has(:focus-visible){outline:2px solid var(--accent)}
.kinds input{position:absolute;opacity:0;pointer-events:none}
.hero-box{display:flex;align-items:center;gap:10px;padding-inline-start:8px}
.hero-box input{flex:1;min-width:0;min-height:44px;border:0;outline:0;background:none;color:var(--ink);font:inherit}
.hero-box input::placeholder{color:var(--quiet);opacity:1}
.hero-box:has(input:focus-visible){outline:2px solid var(--accent);outline-offset:1px;border-radius:6px}
.hero-box svg{flex:none;color:var(--quiet)}
.hero .btn{min-height:44px;padding-inline:22px}
.hero .chips{margin-top:12px}
.hero .chip{min-height:32px;border-color:transparent;font-size:var(--small)}
.hero .nm.mj{font-size:13px}
.hero .legend{position:absolute;z-index:1;bottom:20px;inset-inline-start:max(var(--margin),calc(50% - 640px + var(--margin)));display:flex;align-items:center;gap:8px;margin:0;padding:4px 12px;border:1px solid var(--line);border-radius:6px;background:var(--raised);font-size:var(--small)}
.legend span{width:12px;height:12px;border:1.5px solid var(--sale);border-radius:50%}
.legend .rental{border-color:var(--rental);border-radius:2px}
@media (max-width:760px){.hero .btn{padding-inline:14px}.hero-box>svg{display:none}.hero{min-height:0;background:var(--water)}.hero h1{font-size:1.75rem}.hero-text{padding-block:24px 8px}
.hero-map{position:relative;height:380px;overflow:hidden}.hero .nm.mj,.hero .cl text{font-size:17px}.hero-map>svg{position:absolute;right:-70px;width:auto;height:100%;max-width:none}
.hero .chips{flex-wrap:nowrap;overflow-x:auto;margin-inline:calc(-1*var(--margin));padding:2px var(--margin) 8px;max-width:none;scrollbar-width:none}.hero .legend{bottom:8px}}
`);
