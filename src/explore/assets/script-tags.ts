// Tags of a page's entry module, and hints for the modules that it imports.

import { type Html, html } from '../../page/html.ts';
import type { PageScript } from './assets.ts';

/** For the head of a page; `root` is the prefix of its links to the root of the service. */
export function scriptTags(root: string, { src, preloads }: PageScript): Html {
  const hints = preloads.map((path) => html`<link rel="modulepreload" href="${root}${path}">`);
  return html`${hints}<script type="module" src="${root}${src}"></script>`;
}
