// Panel of the API: the requests that give exactly this view, and what they cost.
//
// Scripts find `#api` and its `pre[data-code]`, to copy them.

import type { Tags } from '../../page/map/tags.ts';
import { parameterLine } from '../../page/request-code.ts';
import type { ApiRequests, ExploreState } from '../view/state.ts';

export interface ApiRequest {
  /** What it gives, such as `This list`. */
  readonly title: string;
  /** Whole and absolute. */
  readonly url: string;
}

export interface ApiPanel {
  readonly curl: string;
  readonly fetch: string;
  readonly requests: readonly ApiRequest[];
  /** What a request costs against the caller's limits, as a sentence. */
  readonly cost: string;
  /** The documentation of the search; the requests beside it have the parameters filled in. */
  readonly docs: string;
  readonly limits: string;
}

/** The panel of a view: its requests, what they cost, and the page that explains them. `root`: prefix of links to the root of the service. */
export function apiPanelOf(
  requests: ApiRequests,
  kind: ExploreState['kind'],
  { cost, root }: { readonly cost: string; readonly root: string },
): ApiPanel {
  const operation = `${root}docs/reference#tag/search/GET/v1/search/${kind === 'sale' ? 'sales' : 'rentals'}`;
  return {
    curl: requests.curl,
    fetch: requests.fetch,
    requests: [
      { title: 'The list as JSON', url: requests.search },
      { title: 'The clusters of the map', url: requests.clusters },
      { title: 'Prices, beds and types counted', url: requests.facets },
      { title: 'All homes as CSV (with a key)', url: requests.csv },
    ],
    cost,
    docs: operation,
    limits: `${root}docs/limits`,
  };
}

export function apiPanel<T>(tags: Tags<T>, panel: ApiPanel): T {
  const { html } = tags;
  const links = panel.requests.map(({ title, url }) => html`<li><a href="${url}">${title}</a></li>`);
  return html`<div id="api"><p class="panel-title"><strong>This view as requests</strong></p><p class="small quiet">${panel.cost} <a href="${panel.limits}">Limits</a></p>${codeBox(tags, 'curl', panel.curl)}${codeBox(tags, 'fetch', panel.fetch)}<ul class="links">${links}<li><a href="${panel.docs}">Documentation of this search</a></li></ul></div>`;
}

function codeBox<T>({ html }: Tags<T>, name: string, code: string): T {
  const lines = code.split('\n').map((line) => {
    const parameter = parameterLine(line);
    if (parameter === null) return html`<span class="line">${line}\n</span>`;
    const { start, name: key, sign, value, end } = parameter;
    return html`<span class="line">${start}<span class="key">${key}</span>${sign}<span class="string">${value}</span>${end}\n</span>`;
  });
  return html`<div class="code-box"><header><span>${name}</span></header><pre data-code="${name}" tabindex="0" role="region" aria-label="${`Request with ${name}`}"><code>${lines}</code></pre></div>`;
}
