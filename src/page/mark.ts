// Logo: a plot of land with its house.
import { Html, html } from './html.ts';
import { DARK, LIGHT } from './palette.ts';
import { site } from './site.ts';

const PLOT = 'M3 9 13 3l16 5-3 19-20 2z';
const HOUSE = 'M11.5 20.5v-6.8l5.3-4.2 5.2 4.2v6.8z';

/** In the colours of the page. */
const MARK = new Html(
  `<svg viewBox="0 0 32 32" aria-hidden="true"><path d="${PLOT}" fill="var(--water)" stroke="var(--ink)" stroke-width="1.5" stroke-linejoin="round"/><path d="${HOUSE}" fill="var(--accent)"/></svg>`,
);

/** The logo and the name of the service, as header and footer show them. */
export function brand(root: string): Html {
  const { logo, name } = site();
  return html`${logo === null ? MARK : html`<img src="${root}${logo}" alt="" width="28" height="28">`}<span>${name}</span>`;
}

/** As a file, with its own colours. */
export const FAVICON_FILE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>.p{fill:${LIGHT.water};stroke:${LIGHT.ink}}.h{fill:${LIGHT.accent}}@media(prefers-color-scheme:dark){.p{fill:${DARK.water};stroke:${DARK.ink}}.h{fill:${DARK.accent}}}</style><path class="p" d="${PLOT}" stroke-width="2" stroke-linejoin="round"/><path class="h" d="${HOUSE}"/></svg>`;

/** The file as a data URL. */
export const FAVICON = `data:image/svg+xml,${encodeURIComponent(FAVICON_FILE)}`;
