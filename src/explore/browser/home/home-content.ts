// Content of one home for a sheet over the map: fetched, styled and brought to life.

import { CHART_STYLE } from '../../../page/chart/chart-style.ts';
import { HOME_STYLE } from '../../home/home-style.ts';
import { homeAddress } from '../links.ts';
import { token } from '../session.ts';
import { startHome } from './home-parts.ts';

// Loaded with the first home; a style that is constructed here needs no permission of the page's policy.
const style = new CSSStyleSheet();
style.replaceSync(CHART_STYLE + HOME_STYLE);
document.adoptedStyleSheets.push(style);

/**
 * The content of a home, or what the service says in its place. Rejects where the service does not answer with any, or with the
 * signal's reason; once the signal is aborted, what runs in the content ends.
 */
export async function loadHome(id: string, signal: AbortSignal): Promise<HTMLElement> {
  const url = new URL(homeAddress(id));
  url.searchParams.set('sheet', '1');
  const parsed = await getDocument(url.href, signal);
  const content = document.createElement('div');
  content.className = 'home-sheet';
  content.append(...document.importNode(parsed.body, true).childNodes);
  startHome(content, signal);
  return content;
}

/** A document parsed by the browser: its scripts never run, and no text of it becomes HTML by this page's doing. */
async function getDocument(url: string, signal: AbortSignal): Promise<Document> {
  const credential = await token();
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', url);
    request.responseType = 'document';
    if (credential !== null) request.setRequestHeader('authorization', `Bearer ${credential}`);
    request.onload = () =>
      request.responseXML === null
        ? reject(new Error(`The service answered with ${request.status}.`))
        : resolve(request.responseXML);
    request.onerror = () => reject(new Error('The service cannot be reached.'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send();
  });
}
