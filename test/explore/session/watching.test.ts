// Tests of what signed-in people watch in the explorer, in a real browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { FAINT, UNSOUND } from '../../support/browser/readability.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const parts =
  skip === false
    ? await Promise.all([startService({ after }, { overrides: { provider } }), startBrowser({ after })])
    : undefined;

async function open(query: string) {
  assert.ok(parts !== undefined);
  const [{ url }, browser] = parts;
  return { url, ...(await visit(browser, `${url}/explore/watching${query}`, { origins: [url] })) };
}

async function signIn(page: Page, key?: string): Promise<void> {
  await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
  if (key === undefined) await page.getByRole('button', { name: 'Continue with the Free tier' }).click();
  else {
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
  }
}

test('the search of a view is watched with its filters, listed with a link back, and removed again', {
  skip,
}, async () => {
  assert.ok(parts !== undefined);
  const key = provider.subscribe('pro');
  const { page, url, faults } = await open(
    '?for=sale&minPrice=400000&currency=USD&propertyType=CONDO&bbox=-91,41,-90,42&sort=price&zoom=11.2',
  );
  await page.getByText('Sign in to watch').waitFor();
  await signIn(page, key);
  // Back at the very view, with its offer.
  await page.getByLabel('A name for it').fill('Condos');
  await page.getByRole('button', { name: 'Watch this search' }).click();
  await page.locator('[data-state]:not([hidden])').waitFor();
  assert.equal(await page.locator('[data-state]').textContent(), 'It is being watched.');
  const { data } = (await parts[0].json('/v1/watchers', key)) as {
    data: { id: string; name: string; target: { listingType: string; query: Record<string, unknown> } }[];
  };
  assert.equal(data[0]?.name, 'Condos');
  assert.deepEqual(data[0]?.target.listingType, 'sale');
  assert.deepEqual(
    [data[0]?.target.query.minPrice, data[0]?.target.query.propertyType, data[0]?.target.query.sort],
    [400_000, ['CONDO'], undefined],
  );
  const link = page.getByRole('link', { name: 'Condos' });
  assert.match((await link.getAttribute('href')) ?? '', /\/explore\?minPrice=400000/);
  assert.deepEqual(await page.evaluate(FAINT), []);
  assert.deepEqual(await page.evaluate(UNSOUND), []);
  // An event arrives while the page stands.
  const [{ id } = { id: '' }] = data;
  const authorization = `Bearer ${key}`;
  await fetch(`${url}/v1/watchers/${id}/pause`, { method: 'POST', headers: { authorization } });
  await page.locator('[data-events] li').filter({ hasText: 'paused, Condos' }).waitFor();
  await page.getByRole('button', { name: 'Stop watching Condos' }).click();
  await page.getByText('Nothing yet').waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('what the tier does not allow is said in words, with the plans', { skip }, async () => {
  const { page, url } = await open('?for=rental');
  await signIn(page);
  await page.getByRole('button', { name: 'Watch this search' }).click();
  await page.getByText('It is being watched.').waitFor();
  await page.goto(`${url}/explore/watching?for=sale`);
  await page.getByRole('button', { name: 'Watch this search' }).click();
  await page.locator('[data-state]').getByRole('link', { name: 'Compare plans' }).waitFor();
  assert.match((await page.locator('[data-state]').textContent()) ?? '', /watcher/);
  await page.context().close();
});

test('a feed that is cut goes on where it stood: before its first event, and in the middle of one, nothing is lost and nothing shown twice', {
  skip,
}, async () => {
  assert.ok(parts !== undefined);
  const key = provider.subscribe('pro');
  const watchers: string[] = [];
  for (const name of ['First', 'Second'])
    watchers.push(
      await act(key, '/v1/watchers', {
        name,
        target: { type: 'search', listingType: 'sale', query: { minPrice: 400_000, currency: 'USD' } },
      }),
    );
  const [begun = ''] = await readFeed(key, 1);
  for (const id of watchers) await act(key, `/v1/watchers/${id}/pause`);
  const [, first = '', second = ''] = await readFeed(key, 3, idOf(begun));
  // What two feeds sent before they were cut; the third is the service's.
  const cut = [`${begun}\n\n`, `${first}\n\n${second.slice(0, -40)}`];
  const resumedFrom: (string | undefined)[] = [];
  const { page } = await open('');
  await page.route('**/v1/events/stream', async (route) => {
    resumedFrom.push(route.request().headers()['last-event-id']);
    const body = cut.shift();
    if (body === undefined) return route.continue();
    return route.fulfill({ contentType: 'text/event-stream', body });
  });
  await signIn(page, key);
  const shown = page.locator('[data-events] li');
  await shown.filter({ hasText: 'paused, Second' }).waitFor();
  assert.deepEqual(
    (await shown.allInnerTexts()).map((text) => /paused, (\w+)/.exec(text)?.[1]),
    ['Second', 'First'],
  );
  assert.deepEqual(resumedFrom, [undefined, idOf(begun), idOf(first)]);
  await page.context().close();
});

/** POST as the owner of the key; gives the id of the answer. */
async function act(key: string, path: string, body?: unknown): Promise<string> {
  const authorization = `Bearer ${key}`;
  const content =
    body === undefined
      ? { headers: { authorization } }
      : { headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${parts?.[0].url}${path}`, { method: 'POST', ...content });
  const text = await answer.text();
  assert.ok(answer.ok, `${path} answered ${answer.status}: ${text}`);
  return (JSON.parse(text) as { id: string }).id;
}

const idOf = (block = ''): string => /^id: ?(.*)$/m.exec(block)?.[1] ?? '';

/** The first blocks of the feed of the key's owner, behind an id where one is given. */
async function readFeed(key: string, count: number, lastEventId?: string): Promise<string[]> {
  const answer = await fetch(`${parts?.[0].url}/v1/events/stream`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  });
  assert.ok(answer.body !== null);
  let text = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n').filter((block) => /^id:/m.test(block));
    if (text.endsWith('\n\n') && blocks.length >= count) return blocks.slice(0, count);
  }
  throw new Error(`The feed ended after: ${text}`);
}
