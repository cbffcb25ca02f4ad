// Entry of the page of an MCP App: shows the results that its host sends, on a map, as a list, one home at a time.

import type { MapBox } from '../../../page/map/mercator.ts';
import { type AppResult, readResult } from './homes.ts';
import { Host, type Json, objectOf } from './host.ts';
import { ALL, appContent, BACK, BOX, HOME, type Land, LOCATE, type Shown, waitingView } from './views.ts';

/** Pixels of the map: as wide as there is room, half of it beside the list. */
const WIDE = 640;
const MAP_HEIGHT = 340;

class AppPage {
  readonly #root: HTMLElement;
  readonly #land: Land;
  readonly #host: Host;
  #result: AppResult | null = null;
  #input: Json = {};
  #tool: string | null = null;
  #openId: string | null = null;
  #box: MapBox | null = null;
  #size = '';

  constructor(root: HTMLElement, land: Land) {
    this.#root = root;
    this.#land = land;
    this.#host = new Host({
      onInput: (args) => {
        this.#input = args;
      },
      onResult: (result) => this.#take(readResult(result)),
      onCancelled: (reason) => {
        this.#result = null;
        this.#root.innerHTML = waitingView(
          reason === '' ? 'The call was cancelled.' : `The call was cancelled: ${reason}`,
        ).text;
      },
      onContext: (context) => this.#follow(context),
    });
    root.addEventListener('click', (event) => this.#click(event));
    new ResizeObserver(() => this.#sizeChanged()).observe(document.body);
    addEventListener('resize', () => this.#draw());
  }

  async start(version: string): Promise<void> {
    await this.#host.connect(version);
    this.#sizeChanged();
  }

  #take(result: AppResult): void {
    this.#result = result;
    this.#openId = null;
    this.#box = null;
    this.#draw();
  }

  #draw(): void {
    if (this.#result === null) return;
    const width = this.#root.clientWidth;
    const shown: Shown = {
      result: this.#result,
      land: this.#land,
      openId: this.#openId,
      box: this.#box,
      width: Math.max(200, Math.round(width >= WIDE ? width * 0.55 : width)),
      height: MAP_HEIGHT,
      canLocate: this.#host.can('serverTools'),
    };
    // Every text in it went through the escaping templates.
    this.#root.innerHTML = appContent(shown).text;
  }

  #click(event: Event): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const href = link?.getAttribute('href') ?? null;
    if (href === null) return;
    // A frame of a host leads nowhere by itself.
    event.preventDefault();
    if (!href.startsWith('#')) void this.#host.request('ui/open-link', { url: href }).catch(() => undefined);
    else if (href === LOCATE) void this.#locate();
    else this.#go(href);
  }

  /** Follows a link within the page; the focus goes where the reader goes on. */
  #go(href: string): void {
    const before = this.#openId;
    if (href === ALL) this.#box = null;
    if (href === BACK) this.#openId = null;
    if (href.startsWith(HOME)) this.#openId = decodeURIComponent(href.slice(HOME.length));
    if (href.startsWith(BOX)) this.#box = boxFrom(href.slice(BOX.length));
    this.#draw();
    const target =
      href === BACK && before !== null
        ? `.rows a[href="${CSS.escape(HOME)}${CSS.escape(encodeURIComponent(before))}"]`
        : 'h2';
    this.#root.querySelector<HTMLElement>(target)?.focus();
  }

  /** Asks the service for the places of the homes, by the host: results for hosts in general have none. */
  async #locate(): Promise<void> {
    const result = this.#result;
    if (result === null) return;
    const name = this.#tool ?? (result.homes[0]?.kind === 'rental' ? 'search_rentals' : 'search_sales');
    const args = { ...this.#input, fields: ['id', 'location'], limit: result.homes.length };
    const answer = await this.#host.request('tools/call', { name, arguments: args }).catch(() => null);
    if (answer === null || this.#result !== result) return;
    const places = new Map(readResult(answer).homes.map(({ id, at }) => [id, at]));
    this.#result = {
      ...result,
      homes: result.homes.map((home) => ({ ...home, at: places.get(home.id) ?? null })),
    };
    this.#draw();
  }

  /** Theme, faces and name of the tool, as far as the host says. */
  #follow(context: Json): void {
    const { theme, styles, toolInfo } = context;
    const { documentElement } = document;
    if (theme === 'light' || theme === 'dark') documentElement.dataset.theme = theme;
    const variables = objectOf(objectOf(styles).variables);
    for (const face of ['--font-sans', '--font-mono'])
      if (typeof variables[face] === 'string') documentElement.style.setProperty(face, variables[face]);
    const { name } = objectOf(objectOf(toolInfo).tool);
    if (typeof name === 'string') this.#tool = name;
    this.#draw();
  }

  #sizeChanged(): void {
    const { width, height } = document.body.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    if (this.#size === `${size.width} ${size.height}`) return;
    this.#size = `${size.width} ${size.height}`;
    this.#host.notify('ui/notifications/size-changed', size);
  }
}

function boxFrom(text: string): MapBox | null {
  const [west, south, east, north] = text.split(',').map(Number);
  return west === undefined || south === undefined || east === undefined || north === undefined
    ? null
    : [west, south, east, north];
}

const root = document.getElementById('app');
const land = document.getElementById('land');
if (root !== null && land !== null) {
  const app = new AppPage(root, JSON.parse(land.textContent ?? '{}') as Land);
  app.start(document.documentElement.dataset.version ?? '').catch((error: unknown) => {
    root.innerHTML = waitingView(`This page is for hosts of MCP Apps: ${String(error)}`).text;
  });
}
