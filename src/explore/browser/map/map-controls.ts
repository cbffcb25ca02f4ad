// Controls over the live map: closer, further away, where I am, drawing an area, the scale, and whose homes these are.

import { render } from 'lit-html';
import type { Credit } from '../../basemap/facts.ts';
import { type IconName, icon } from '../../parts/icons.ts';
import { type Notice, notice } from '../../parts/notices.ts';
import { TAGS } from '../tags.ts';
import type { View } from '../view.ts';
import type { LiveMap } from './live-map.ts';
import type { Corner } from './map-style.ts';

const { html } = TAGS;

export interface ControlEvents {
  /** The drawing of an area begins. */
  onDraw(): void;
  onDrawn(corners: readonly Corner[]): void;
}

const DRAWING: Notice = {
  kind: 'information',
  title: 'Click the corners of the area',
  text: 'A click on the first corner closes it; Escape ends it.',
};

export class MapControls {
  readonly #map: LiveMap;
  readonly #section: HTMLElement;
  readonly #events: ControlEvents;
  readonly #buttons = document.createElement('div');
  readonly #note = document.createElement('div');
  readonly #scale = document.createElement('div');
  #drawing: AbortController | null = null;

  /** `credits`: of the operator's map, which are always in sight. */
  constructor(section: HTMLElement, map: LiveMap, credits: readonly Credit[], events: ControlEvents) {
    this.#map = map;
    this.#section = section;
    this.#events = events;
    const nav = section.querySelector('.controls');
    this.#buttons.className = 'controls';
    this.#buttons.setAttribute('role', 'group');
    this.#buttons.setAttribute('aria-label', 'Map controls');
    if (nav === null) section.append(this.#buttons);
    else nav.replaceWith(this.#buttons);
    this.#renderButtons();
    this.#note.className = 'host';
    section.append(this.#note);
    if (credits.length > 0) showCredits(section, credits);
    this.#scale.className = 'scale-bar';
    this.#scale.setAttribute('aria-hidden', 'true');
    section.append(this.#scale);
    map.map.on('move', () => this.#drawScale());
    this.#drawScale();
  }

  showCaption({ sources, asOf }: View): void {
    const caption =
      this.#section.querySelector('.caption') ?? this.#section.appendChild(document.createElement('p'));
    caption.className = 'caption';
    const names = sources.map(({ name }) => name).join(', ');
    caption.textContent = `${names === '' ? '' : `${names} · `}as of ${asOf.slice(11, 19)} UTC`;
  }

  #renderButtons(): void {
    const map = this.#map;
    const isDrawing = this.#drawing !== null;
    const locate = isSecureContext ? button('Where I am', 'locate', () => this.#locate()) : null;
    const draw = html`<button type="button" aria-label="Draw an area" title="Draw an area" aria-pressed="${isDrawing ? 'true' : 'false'}" data-control="draw" @click=${(() => void this.#draw()) as never}>${icon(TAGS, 'draw')}</button>`;
    render(
      html`<div>${button('Closer', 'plus', () => map.zoomBy(1))}${button('Further away', 'minus', () => map.zoomBy(-1))}</div>${
        locate === null ? null : html`<div>${locate}</div>`
      }<div>${draw}</div>`,
      this.#buttons,
    );
  }

  #say(said: Notice | null): void {
    render(said === null ? null : notice(TAGS, said), this.#note);
  }

  /** Begins to draw, or ends it. What draws is loaded on first use. */
  async #draw(): Promise<void> {
    if (this.#drawing !== null) return this.#drawing.abort();
    const drawing = new AbortController();
    const { signal } = drawing;
    this.#drawing = drawing;
    const end = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') drawing.abort();
    };
    addEventListener('keydown', end);
    this.#events.onDraw();
    this.#section.classList.add('drawing');
    this.#renderButtons();
    this.#say(DRAWING);
    const corners = await import('./draw-area.ts')
      .then(({ drawPolygon }) => (signal.aborted ? null : drawPolygon(this.#map.map, signal)))
      .catch((error: unknown) => {
        console.warn(error);
        return undefined;
      });
    removeEventListener('keydown', end);
    this.#drawing = null;
    this.#section.classList.remove('drawing');
    this.#renderButtons();
    this.#say(corners === undefined ? CANNOT_DRAW : null);
    if (corners != null && corners.length >= 3) this.#events.onDrawn(corners);
  }

  #locate(): void {
    this.#say(null);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => this.#map.goTo(coords.longitude, coords.latitude),
      ({ code, PERMISSION_DENIED }) =>
        this.#say({
          kind: 'warning',
          title: 'Your place is not known',
          text:
            code === PERMISSION_DENIED
              ? 'The browser may not say where you are: its settings for this page change that.'
              : 'The browser could not find out where you are. Try again, or search for a place.',
        }),
      { timeout: 10_000, maximumAge: 60_000 },
    );
  }

  /** The longest round distance that fits in its width. */
  #drawScale(): void {
    const { map } = this.#map;
    const middle = map.getContainer().clientHeight / 2;
    const [left, right] = [map.unproject([0, middle]), map.unproject([WIDTH, middle])];
    const miles = left.distanceTo(right) / METRES_IN_MILE;
    if (!Number.isFinite(miles) || miles <= 0) return;
    const step = 10 ** Math.floor(Math.log10(miles));
    const shown = ([5, 2, 1].find((factor) => factor * step <= miles) ?? 1) * step;
    const width = Math.round((shown / miles) * WIDTH);
    const words = shown >= 0.2 ? `${trimmed(shown)} mi` : `${Math.round(shown * FEET_IN_MILE)} ft`;
    render(html`<div class="bar-line"></div><span>${words}</span>`, this.#scale);
    const line = this.#scale.querySelector<HTMLElement>('.bar-line');
    if (line !== null) line.style.width = `${width}px`;
  }
}

const CANNOT_DRAW: Notice = {
  kind: 'error',
  title: 'Areas cannot be drawn at the moment',
  text: 'What draws them could not be loaded. Reload the page and try again.',
};

function showCredits(section: HTMLElement, credits: readonly Credit[]): void {
  const line = document.createElement('p');
  line.className = 'map-credits';
  render(
    html`${credits.map(({ text, href }) => (href === null ? text : html`<a href="${href}" target="_blank" rel="noopener">${text}</a>`))}`,
    line,
  );
  section.append(line);
}

/** Pixels of the scale at most. */
const WIDTH = 150;
const METRES_IN_MILE = 1_609.344;
const FEET_IN_MILE = 5_280;

const trimmed = (value: number): string => String(Number(value.toPrecision(2)));

function button(label: string, name: IconName, onClick: () => void) {
  return html`<button type="button" aria-label="${label}" title="${label}" data-control="${name}" @click=${onClick as never}>${icon(TAGS, name)}</button>`;
}
