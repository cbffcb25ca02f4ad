// Content of one home for a sheet over the map: fetched, styled and brought to life.

import { CHART_STYLE } from '../../../page/chart/chart-style.ts';
import { HOME_STYLE } from '../../home/home-style.ts';
import { fetchPage } from '../fetched-page.ts';
import { homeAddress } from '../links.ts';
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
  const { content: parsed } = await fetchPage(url.href, signal);
  const content = document.createElement('div');
  content.className = 'home-sheet';
  content.append(...document.importNode(parsed.body, true).childNodes);
  startHome(content, signal);
  return content;
}
