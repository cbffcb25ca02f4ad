// Card of a pin: the home in a few words and a picture, or the homes of one building.

import { render } from 'lit-html';
import { type Map as LibreMap, Marker } from 'maplibre-gl';
import { shortAmount } from '../../../page/map/amounts.ts';
import type { MapPin } from '../../../page/map/drawing.ts';
import { bedsWords, countWords } from '../../parts/words.ts';
import { serviceUrl } from '../explorer.ts';
import { getPage } from '../requests.ts';
import { TAGS } from '../tags.ts';
import type { View } from '../view.ts';

const { html } = TAGS;

/** What a card says of a home. */
interface CardHome {
  readonly id: string;
  readonly price: string;
  readonly facts: string;
  readonly address: string | null;
  readonly photo: string | null;
}

export class MapCard {
  readonly #map: LibreMap;
  readonly #element = document.createElement('div');
  #marker: Marker | null = null;
  #request = new AbortController();

  constructor(map: LibreMap) {
    this.#map = map;
    this.#element.className = 'map-card';
    this.#element.setAttribute('role', 'group');
    this.#element.setAttribute('aria-label', 'Home on the map');
    // What is clicked on the card does not reach the map below.
    for (const type of ['mousedown', 'dblclick', 'wheel', 'touchstart'])
      this.#element.addEventListener(type, (event) => event.stopPropagation(), { passive: true });
    map.on('click', () => this.close());
    map.getContainer().addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
  }

  /** Opens below the pin; what the list does not know of the home is fetched. */
  open(pin: MapPin, view: View, row: View['list'][number] | undefined): void {
    this.close();
    const { others = [] } = pin;
    if (others.length > 0) this.#renderStack([pin.id, ...others], view);
    else this.#renderHome(row === undefined ? homeOfPin(pin, view) : homeOfRow(row));
    const isHigh = this.#map.project([pin.lng, pin.lat]).y > this.#map.getContainer().clientHeight * 0.55;
    this.#marker = new Marker({
      element: this.#element,
      anchor: isHigh ? 'bottom' : 'top',
      offset: [0, isHigh ? -36 : 6],
    })
      .setLngLat([pin.lng, pin.lat])
      .addTo(this.#map);
    if (others.length === 0 && row === undefined) void this.#complete(homeOfPin(pin, view));
  }

  close(): void {
    this.#request.abort();
    this.#marker?.remove();
    this.#marker = null;
  }

  #renderHome({ id, price, facts, address, photo }: CardHome): void {
    const picture =
      photo === null
        ? null
        : html`<img src="${photo}" alt="" width="244" height="118" decoding="async" referrerpolicy="no-referrer">`;
    render(
      html`${picture}<div class="text"><p><a class="whole price" href="explore/listing/${encodeURIComponent(id)}" data-home="${id}">${price}</a></p><p>${facts}</p><p class="small quiet">${address ?? ''}</p></div>`,
      this.#element,
    );
  }

  #renderStack(ids: readonly string[], view: View): void {
    const homes = ids
      .map((id) => view.pins.find(([pinId]) => pinId === id))
      .filter((pin) => pin !== undefined);
    const items = homes.map(
      ([id, , price, beds]) =>
        html`<li><a href="explore/listing/${encodeURIComponent(id)}" data-home="${id}"><strong>${price === null ? 'Price on request' : shortAmount(price, view.currency)}</strong><span>${beds === null ? '' : bedsWords(beds)}</span></a></li>`,
    );
    render(
      html`<div class="text"><p><strong>${ids.length} homes at one address</strong></p></div><ul>${items}</ul>`,
      this.#element,
    );
  }

  /** Picture and address from the page of the home. Without them the card says what the pin does. */
  async #complete(home: CardHome): Promise<void> {
    this.#request = new AbortController();
    const { signal } = this.#request;
    const url = serviceUrl(`explore/listing/${encodeURIComponent(home.id)}`);
    const page = await getPage(url, signal).catch(() => null);
    if (page === null || signal.aborted) return;
    const photo = page.querySelector<HTMLMetaElement>('meta[property="og:image"]')?.content ?? null;
    this.#renderHome({ ...home, address: page.querySelector('h1')?.textContent?.trim() ?? null, photo });
  }
}

function homeOfRow(row: View['list'][number]): CardHome {
  const { id, price, currency, beds, baths, livingArea, address, place } = row;
  const facts = [
    beds === null ? null : bedsWords(beds),
    baths === null ? null : `${baths} ba`,
    livingArea === null ? null : `${countWords(Math.round(livingArea))} sqft`,
  ].filter((fact) => fact !== null);
  return {
    id,
    price: amount(price, currency),
    facts: facts.join(' · '),
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
