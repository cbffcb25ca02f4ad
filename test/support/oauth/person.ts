// Person at the browser: reads the consent page, sends its form, and is redirected.

import { locationOf, transactionOf } from './authorize.ts';

/**
 * Opens the address that a client gave, decides, and gives the address that the browser is sent to: nobody has to be
 * listening there. Throws where the page is none, or the decision leads nowhere.
 */
export async function decideAt(
  address: string | URL,
  decision: Readonly<Record<string, string>>,
): Promise<URL> {
  const page = await fetch(address, { redirect: 'manual' });
  if (page.status === 303) return locationOf(page);
  const body = new URLSearchParams({ transaction: transactionOf(await page.text()), ...decision });
  const endpoint = new URL('/oauth/authorize', address);
  return locationOf(await fetch(endpoint, { method: 'POST', body, redirect: 'manual' }));
}
