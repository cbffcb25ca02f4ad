// Card of a pin: the home in a few words and a picture, or the homes of one building.

import { render } from 'lit-html';
import { type Map as LibreMap, Marker } from 'maplibre-gl';
import { shortAmount } from '../../../page/map/amounts.ts';
import type { MapPin } from '../../../page/map/drawing.ts';
import { pictureSizes } from '../../../page/picture.ts';
import { bedsWords, countWords } from '../../parts/words.ts';
import { writeQuery } from '../../view/parameters.ts';
import { serviceUrl } from '../explorer.ts';
import { getJson } from '../requests.ts';
import { TAGS } from '../tags.ts';
import type { View } from '../view.ts';

const { html } = TAGS;

type ListedHome = View['list'][number];

/** What a card says of a home. */
interface CardHome {
  readonly id: string;
  readonly price: string;
  readonly facts: string;
  readonly address: string | null;
  readonly photo: string | null;
}

/** Wide enough for a card beside its pin, as the style of the page has it. */
const IS_WIDE = matchMedia('(min-width: 900px)');

export class MapCard {
  readonly #map: LibreMap;
  readonly #element = document.createElement('div');
  #marker: Marker | null = null;
  #pin: MapPin | null = null;
  #request = new AbortController();

  constructor(map: LibreMap) {
    this.#map = map;
    this.#element.className = 'map-card';
    this.#element.setAttribute('role', 'group');
    // What is clicked on the card does not reach the map below.
    for (const type of ['mousedown', 'dblclick', 'wheel', 'touchstart'])
      this.#element.addEventListener(type, (event) => event.stopPropagation(), { passive: true });
    map.on('click', () => this.close());
  }

  /** The pin whose card is open; null: none is. */
  get pin(): MapPin | null {
    return this.#pin;
  }

  get hasFocus(): boolean {
    return this.#element.contains(document.activeElement);
  }

  /** Opens at the pin, on telephones at the foot of the map; what the list does not know of the home is requested. */
  open(pin: MapPin, view: View, row: ListedHome | undefined): void {
    this.close();
    this.#pin = pin;
    const { others = [] } = pin;
    const isStack = others.length > 0;
    this.#element.setAttribute('aria-label', isStack ? 'Homes at one address' : 'Home on the map');
    if (isStack) this.#renderStack([pin.id, ...others], view, []);
    else this.#renderHome(row === undefined ? homeOfPin(pin, view) : homeOfRow(row));
    this.#attach(pin);
    if (isStack || row === undefined) void this.#complete(pin, view);
  }

  close(): void {
    this.#request.abort();
    this.#marker?.remove();
    this.#marker = null;
    this.#element.remove();
    this.#pin = null;
  }

  focus(): void {
    this.#element.querySelector('a')?.focus({ preventScroll: true });
  }

  #attach({ lng, lat }: MapPin): void {
    const element = this.#element;
    element.classList.toggle('docked', !IS_WIDE.matches);
    if (!IS_WIDE.matches) return void this.#map.getContainer().after(element);
    // A marker leaves its place behind in the style of its element.
    element.removeAttribute('style');
    const { y } = this.#map.project([lng, lat]);
    const isHigh = y > this.#map.getContainer().clientHeight * 0.55;
    this.#marker = new Marker({
      element,
      anchor: isHigh ? 'bottom' : 'top',
      offset: [0, isHigh ? -36 : 6],
    })
      .setLngLat([lng, lat])
      .addTo(this.#map);
  }

  #renderHome({ id, price, facts, address, photo }: CardHome): void {
    const sizes = photo === null ? null : pictureSizes(photo);
    const picture =
      photo === null
        ? null
        : sizes === null
          ? html`<img src="${photo}" alt="" width="244" height="118" decoding="async" referrerpolicy="no-referrer">`
          : html`<img src="${photo}" srcset="${sizes}" sizes="244px" alt="" width="244" height="118" decoding="async" referrerpolicy="no-referrer">`;
    render(
      html`${picture}<div class="text"><p><a class="whole price" href="explore/listing/${encodeURIComponent(id)}" data-home="${id}">${price}</a></p><p>${facts}</p><p class="small quiet">${address ?? ''}</p></div>`,
      this.#element,
    );
  }

  /** `rows`: those that are known in full. */
  #renderStack(ids: readonly string[], view: View, rows: readonly ListedHome[]): void {
    const items = ids.map((id) => {
      const row = rows.find((each) => each.id === id);
      const [, , price = null, beds = null] = view.pins.find(([pinId]) => pinId === id) ?? [];
      const facts = row === undefined ? (beds === null ? '' : bedsWords(beds)) : factsOf(row);
      const where = row?.address == null ? null : html`<span class="quiet where">${row.address}</span>`;
      return html`<li><a href="explore/listing/${encodeURIComponent(id)}" data-home="${id}"><strong>${amount(price, view.currency)}</strong><span>${facts}</span>${where}</a></li>`;
    });
    render(
      html`<div class="text"><p><strong>${ids.length} homes at one address</strong></p></div><ul>${items}</ul>`,
      this.#element,
    );
  }

  /** The homes as the list would have them. Without them the card says what the pin does. */
  async #complete(pin: MapPin, view: View): Promise<void> {
    this.#request = new AbortController();
    const { signal } = this.#request;
    const ids = [pin.id, ...(pin.others ?? [])];
    const query = writeQuery(
      new Map([
        ['for', pin.kind],
        ['ids', ids.join(',')],
        ['status', 'any'],
      ]),
    );
    const found = await getJson<View>(serviceUrl(`explore/view?${query}`), signal).catch(() => null);
    if (found === null || signal.aborted) return;
    const hadFocus = this.hasFocus;
    const [row] = found.list;
    if (ids.length > 1) this.#renderStack(ids, view, found.list);
    else if (row !== undefined) this.#renderHome(homeOfRow(row));
    if (hadFocus && !this.hasFocus) this.focus();
  }
}

const factsOf = ({ beds, baths, livingArea }: ListedHome): string =>
  [
    beds === null ? null : bedsWords(beds),
    baths === null ? null : `${baths} ba`,
    livingArea === null ? null : `${countWords(Math.round(livingArea))} sqft`,
  ]
    .filter((fact) => fact !== null)
    .join(' · ');

function homeOfRow(row: ListedHome): CardHome {
  const { id, price, currency, address, place } = row;
  return {
    id,
    price: amount(price, currency),
    facts: factsOf(row),
    address: [address ?? 'Address withheld', place].filter((part) => part !== null).join(', '),
    photo: row.photo,
  };
}

const homeOfPin = ({ id, price, beds }: MapPin, { currency }: View): CardHome => ({
  id,
  price: amount(price, currency),
  facts: beds === null ? '' : bedsWords(beds),
  address: null,
  photo: null,
});

function amount(price: number | null, currency: string | null): string {
  return price === null ? 'Price on request' : shortAmount(price, currency);
}
