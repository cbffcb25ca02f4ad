// What a script adds to one home, on its page and in a sheet over the map.

import { startLivePanel } from './live-panel.ts';
import { startPhotoViewer } from './photo-viewer.ts';
import { watchButton } from './watch-button.ts';

/** `home`: a document or element that holds the content of a home; what runs in it ends with the signal. */
export function startHome(home: ParentNode, signal?: AbortSignal): void {
  startPhotoViewer(home);
  const panel = home.querySelector<HTMLElement>('#live');
  if (panel !== null) startLivePanel(panel, signal);
  const actions = home.querySelector<HTMLElement>('[data-actions]');
  if (actions === null) return;
  const { id = '', root = '', name = '' } = actions.dataset;
  actions.append(shareButton(), ...watchButton({ id, root, name }));
}

/** Shares by the system where it can; copies the address otherwise. */
function shareButton(): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn';
  button.textContent = 'Share';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    // Over the map the canonical address is that of the map.
    const canonical = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href ?? '';
    const address = canonical.endsWith(location.pathname) ? canonical : location.href;
    try {
      if (typeof navigator.share === 'function')
        return await navigator.share({ url: address, title: document.title });
      await navigator.clipboard.writeText(address);
      button.textContent = 'Copied';
    } catch {
      // Nothing was shared: the reader has closed the sheet of the system.
      button.textContent = 'Share';
    }
  });
  button.addEventListener('blur', () => {
    button.textContent = 'Share';
  });
  return button;
}
