// Controls over the live map: closer, further away, where I am, drawing an area, the scale, and whose homes these are.

import { render } from 'lit-html';
import { type IconName, icon } from '../../parts/icons.ts';
import { TAGS } from '../tags.ts';
import type { View } from '../view.ts';
import type { LiveMap } from './live-map.ts';

const { html } = TAGS;

export interface ControlEvents {
  onDraw(): void;
  /** Why the place of the reader is not known. */
  onUnknownPlace(reason: string): void;
}

export class MapControls {
  readonly #map: LiveMap;
  readonly #section: HTMLElement;
  readonly #scale = document.createElement('div');

  constructor(section: HTMLElement, map: LiveMap, events: ControlEvents) {
    this.#map = map;
    this.#section = section;
    const nav = section.querySelector('.controls');
    const host = document.createElement('div');
    host.className = 'controls';
    host.setAttribute('role', 'group');
    host.setAttribute('aria-label', 'Map controls');
    if (nav === null) section.append(host);
    else nav.replaceWith(host);
    const locate = isSecureContext ? button('Where I am', 'locate', () => this.#locate(events)) : null;
    const draw = button('Draw an area', 'draw', () => events.onDraw());
    render(
      html`<div>${button('Closer', 'plus', () => map.zoomBy(1))}${button('Further away', 'minus', () => map.zoomBy(-1))}</div>${
        locate === null ? null : html`<div>${locate}</div>`
      }<div>${draw}</div>`,
      host,
    );
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

  #locate({ onUnknownPlace }: ControlEvents): void {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => this.#map.goTo(coords.longitude, coords.latitude),
      ({ message }) => onUnknownPlace(message),
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

/** Pixels of the scale at most. */
const WIDTH = 150;
const METRES_IN_MILE = 1_609.344;
const FEET_IN_MILE = 5_280;

const trimmed = (value: number): string => String(Number(value.toPrecision(2)));

function button(label: string, name: IconName, onClick: () => void) {
  return html`<button type="button" aria-label="${label}" title="${label}" data-control="${name}" @click=${onClick as never}>${icon(TAGS, name)}</button>`;
}
