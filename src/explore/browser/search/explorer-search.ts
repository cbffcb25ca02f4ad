// Search of the map page: what is chosen or typed changes the view, and the box in the header names its places.

import { render } from 'lit-html';
import { icon } from '../../parts/icons.ts';
import { changed, linkTo, listOf, type Parameters } from '../../view/parameters.ts';
import type { Explorer } from '../explorer.ts';
import { TAGS } from '../tags.ts';
import type { View } from '../view.ts';
import { findSuggestions, startSearch } from './search-box.ts';

const { html } = TAGS;

export function startExplorerSearch(explorer: Explorer, openHome: (id: string) => void): void {
  const onPlace = (id: string): void => {
    const places = new Set([...listOf(explorer.parameters, 'areaId'), id]);
    const areaId = [...places].join(',');
    void explorer.go(changed(explorer.parameters, { areaId, bbox: null, zoom: null }), 'push');
  };
  let request = new AbortController();
  /** As the service reads them: a place by its name, a home by its number, else words to look for. */
  const onWords = async (text: string): Promise<void> => {
    request.abort();
    request = new AbortController();
    const { signal } = request;
    const found = await findSuggestions(text, signal).catch(() => null);
    if (signal.aborted) return;
    const place = found?.places.find(({ name }) => name.toLowerCase() === text.toLowerCase());
    if (place !== undefined) onPlace(place.id);
    else if (found?.listing != null) openHome(found.listing);
    else void explorer.go(changed(explorer.parameters, { q: text }), 'push');
  };
  startSearch({
    onPlace,
    onHome: openHome,
    onWords(text) {
      void onWords(text);
      return true;
    },
  });
}

/** Keeps the places in the header's box those of the view. */
export function showPlaces({ areas }: View, parameters: Parameters): void {
  const form = document.querySelector<HTMLFormElement>('.site-header form.find');
  const input = form?.querySelector<HTMLInputElement>('input[name=find]') ?? null;
  if (form === null || input === null) return;
  // What the server wrote for a page without script.
  for (const old of form.querySelectorAll(':scope > .token, :scope > input[type=hidden]')) old.remove();
  let host = form.querySelector<HTMLElement>(':scope > .host');
  if (host === null) {
    host = document.createElement('div');
    host.className = 'host';
    input.before(host);
  }
  const ids = listOf(parameters, 'areaId');
  render(
    areas.map(({ id, name }) => {
      const others = ids.filter((each) => each !== id).join(',');
      const href = linkTo(parameters, { areaId: others === '' ? null : others });
      return html`<a class="token" href="${href}" aria-label="${`Remove ${name}`}">${name}${icon(TAGS, 'close')}</a>`;
    }),
    host,
  );
  input.placeholder = areas.length === 0 ? 'Place, address or listing number' : 'Add a place';
}
