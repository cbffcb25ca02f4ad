// The front page: small, true to what searches answer, whole without script, and silent about homes that the public may not see.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeFaults } from '../support/browser/axe.ts';
import { noBrowser as skip, startBrowser, visit } from '../support/browser/chromium.ts';
import { textOf } from '../support/browser/page-text.ts';
import { startService } from '../support/service/service.ts';

const [open, closed] = await Promise.all([
  startService({ after }, { source: 'sample' }),
  startService({ after }, { source: 'sample', environment: { EXPLORER: 'signed-in' } }),
]);
const browser = skip === false ? await startBrowser({ after }) : null;

const pageOf = async ({ url }: { readonly url: string }) => (await fetch(`${url}/`)).text();
const totalOf = async (query: string): Promise<number> => {
  const page = await (await fetch(`${open.url}/explore/view?${query}`)).json();
  return (page as { readonly total: number }).total;
};
const count = (text: string | undefined): number => Number((text ?? '').replaceAll(',', ''));

// The homes and areas of a day make it longer or shorter by some kilobytes.
test('the page takes less than 44 kB of HTML and CSS, and its pictures are loaded when they come into sight', async () => {
  const text = await pageOf(open);
  const bytes = Buffer.byteLength(text.replace(/<script>.*?<\/script>/s, ''));
  assert.ok(bytes > 20_000 && bytes < 44_000, `${bytes} bytes`);
  const pictures = [...text.matchAll(/<img [^>]*>/g)].map(([tag]) => tag);
  assert.equal(pictures.length, 6);
  for (const tag of pictures) assert.match(tag, / loading="lazy"/);
});

test('its numbers, the chips of its search box and the symbols of its map are what searches count', async () => {
  const text = await pageOf(open);
  const values = [...text.matchAll(/<dd class="value">([\d,]+)</g)].map(([, value]) => count(value));
  assert.deepEqual(values.slice(0, 2), [await totalOf(''), await totalOf('for=rental')]);
  const chips = [
    ...text.matchAll(/<a class="chip" href="explore\?([^"]*)">[^<]*<span class="count">([\d,]+)</g),
  ];
  assert.ok(chips.length >= 2);
  for (const [, query = '', shown] of chips)
    assert.equal(count(shown), await totalOf(query.replaceAll('&amp;', '&')), query);
  const symbols = [
    ...text.matchAll(/<a href="explore\?(areaId=[^"]*)" aria-label="([\d,]+) homes? for sale in [^"]+">/g),
  ];
  assert.ok(symbols.length > 5);
  for (const [, query = '', shown] of symbols) assert.equal(count(shown), await totalOf(query), query);
});

test('the request that it shows has the answer that it shows', async () => {
  const text = await pageOf(open);
  const code = /data-way="curl"><pre><code>(.*?)<\/code>/s.exec(text)?.[1] ?? '';
  const command = code.replaceAll(/<[^>]*>/g, '').replaceAll(/\\\s+/g, ' ');
  const [, address = ''] = /^curl -G (\S+)/.exec(command) ?? [];
  const query = new URLSearchParams(
    [...command.matchAll(/ (?:-d|--data-urlencode) ([^=\s]+)=(?:'([^']*)'|(\S+))/g)].map(
      ([, name = '', quoted, bare = '']) => [name, quoted ?? bare],
    ),
  );
  assert.ok([...query].length >= 4, command);
  const answer = await (await fetch(`${address}?${query}`)).json();
  const { data, total } = answer as {
    readonly data: readonly { readonly id: string; readonly price: number }[];
    readonly total: { readonly value: number };
  };
  const shown = textOf(text);
  const answered =
    /<span class="ok">.*?<code>(.*?)<\/code>/s.exec(text)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? '';
  assert.ok(answered.includes(`"id": "${data[0]?.id}",\n      "price": ${data[0]?.price}`), answered);
  assert.ok(answered.includes(`"total": { "value": ${total.value}, "relation": "exact" }`), answered);
  if (data.length > 1) assert.ok(shown.includes(`… ${data.length - 1} more`));
  assert.match(shown, new RegExp(`See (?:these ${total.value} homes|this home) on the map`));
});

test('its trend lines come from figures of the market', async () => {
  // The first visit waits for them a moment only.
  const text = await pageOf(open);
  assert.equal([...text.matchAll(/<svg class="spark"/g)].length, 2);
  const median = /median (\$[\d,]+)/.exec(text)?.[1];
  const view = (await (await fetch(`${open.url}/explore/view`)).json()) as { readonly medianPrice: number };
  assert.equal(median, `$${Math.round(view.medianPrice).toLocaleString('en-US')}`);
});

test('where the public may not look it has borders and counts of areas, and no home', async () => {
  const text = await pageOf(closed);
  assert.match(text, /aria-label="\d+ homes? for sale in /);
  assert.match(text, /<path id="map-land"/);
  assert.doesNotMatch(text, /<img|lst_|explore\/listing|New on the market/);
  const code = text.replaceAll(/<[^>]*>/g, '');
  assert.match(code, /curl -G \S+\/v1\/areas/);
  assert.match(code, /"counts": \{ "rentals": \d+, "sales": \d+ \}/);
});

test('without script: sold homes of a place, the three ways of the request, and nothing is broken', {
  skip,
}, async () => {
  assert.ok(browser !== null);
  const { page, faults } = await visit(browser, `${open.url}/`, {
    origins: [open.url],
    javaScriptEnabled: false,
    viewport: { width: 1280, height: 900 },
  });
  for (const [name, text] of [
    ['TypeScript', 'new URLSearchParams'],
    ['Agent', 'claude mcp add'],
    ['curl', 'curl -G'],
  ] as const) {
    await page.locator('.tabs label', { hasText: name }).click();
    assert.equal(await page.locator('.way:visible').count(), 1, name);
    assert.ok((await page.locator('.way:visible').innerText()).includes(text), name);
  }
  await page.getByText('Sold', { exact: true }).click();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(/explore\?status=CLOSED&closedSince=P6M$/);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('its search box suggests places, and the one that is chosen opens with the kind of homes', {
  skip,
}, async () => {
  assert.ok(browser !== null);
  const { page, faults } = await visit(browser, `${open.url}/`, {
    origins: [open.url],
    viewport: { width: 1280, height: 900 },
  });
  const text = await pageOf(open);
  const [, place = ''] = /aria-label="[\d,]+ homes? for sale in ([^"]+)"/.exec(text) ?? [];
  await page.getByText('Rent', { exact: true }).click();
  const box = page.locator('.hero-find input[name=find]');
  await page.locator('.hero-find [role=combobox]').waitFor();
  await box.pressSequentially(place.slice(0, 6));
  await page.locator('.hero-find [role=option]', { hasText: place }).first().click();
  await page.waitForURL(/explore\?for=rental&areaId=[^&]+$/, { waitUntil: 'commit' });
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('it has no fault of accessibility and fits every screen, in both themes', { skip }, async () => {
  assert.ok(browser !== null);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [320, 390, 1280]) {
      const { page, faults } = await visit(browser, `${open.url}/`, {
        origins: [open.url],
        colorScheme,
        viewport: { width, height: 900 },
      });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${overflow} px wider than ${width} px`);
      if (width !== 320) assert.deepEqual(await axeFaults(page), [], `${width} ${colorScheme}`);
      assert.deepEqual(faults, []);
      await page.context().close();
    }
});
