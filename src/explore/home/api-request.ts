// The request of the API that gives the same as a part of a page.

import { type Html, html, wrappable } from '../../page/html.ts';

/** Opens without a script. */
export function apiRequest(url: string): Html {
  return html`<details class="home-api"><summary>API</summary><div class="code-box"><pre><code>curl -H "Authorization: Bearer $KEY" \\
  "${wrappable(url)}"</code></pre></div></details>`;
}
