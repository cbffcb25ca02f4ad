// Guarantees of the MCP App: one document that loads nothing, shows results in hosts that know it, and changes nothing for others.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { axeFaults } from '../support/browser/axe.ts';
import { noBrowser as skip, startBrowser } from '../support/browser/chromium.ts';
import { until } from '../support/check/until.ts';
import { type AppHost, type AppHostOptions, openApp } from '../support/mcp/app-host.ts';
import { connectClient } from '../support/mcp/official-client.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { source: 'sample' });
const browser = skip ? null : await startBrowser({ after });
const { url, keys } = service;

const APP = 'ui://freehold/homes';
const TYPE = 'text/html;profile=mcp-app';
const EXTENSION = { 'io.modelcontextprotocol/ui': { mimeTypes: [TYPE] } };

const credential = keys.internal;
const { client: plain } = await connectClient({ after }, service, { credential });
const { client: knowing } = await connectClient({ after }, service, {
  credential,
  capabilities: { extensions: EXTENSION },
});
const { client: older } = await connectClient({ after }, service, { era: 'initialize', credential });

interface Home {
  readonly id: string;
  readonly price: number;
  readonly address: { readonly full: string };
  readonly location?: { readonly lat: number; readonly lng: number };
}
const call = (client: typeof plain, name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
  client.callTool({ name, arguments: args }) as Promise<CallToolResult>;
const homesOf = ({ structuredContent }: CallToolResult): readonly Home[] =>
  (structuredContent as { data: readonly Home[] }).data;

const SEARCH = { minBedrooms: 2, limit: 8 };
const found = await call(knowing, 'search_sales', SEARCH);
const page = await plain.readResource({ uri: APP });
const [content] = page.contents;
const html = String((content as { text?: string }).text);

/** A host that has called a tool, and shows what it gave. */
async function show(result: CallToolResult, options: Partial<AppHostOptions> = {}): Promise<AppHost> {
  assert.ok(browser);
  const host = await openApp(browser, { html, viewport: { width: 1000, height: 700 }, ...options });
  await host.bridge.sendToolInput({ arguments: SEARCH });
  await host.bridge.sendToolResult(result);
  return host;
}

test('tools name the page, which is read as the extension says, in both eras', async () => {
  for (const client of [plain, older]) {
    const { tools } = await client.listTools();
    const named = tools.filter(
      ({ _meta }) => JSON.stringify(_meta) === JSON.stringify({ ui: { resourceUri: APP } }),
    );
    assert.deepEqual(
      named.map(({ name }) => name),
      ['search_rentals', 'search_sales', 'get_property', 'get_listing_live', 'find_comparables'],
    );
    const { contents } = await client.readResource({ uri: APP });
    const [{ mimeType, uri, _meta } = assert.fail()] = contents;
    assert.deepEqual([mimeType, uri, _meta], [TYPE, APP, { ui: { prefersBorder: true } }]);
    const { resources } = await client.listResources();
    assert.ok(!resources.some((resource) => resource.uri === APP));
  }
});

test('the page is one document without a name of another server in what it loads', () => {
  assert.match(html, /^<!doctype html><html lang="en"/);
  assert.doesNotMatch(html, /<(?:link|img|iframe|script[^>]*\ssrc)|@import|url\((?!#)/);
  assert.ok(html.length < 400_000, `${html.length}`);
});

test('only hosts that say that they show the page get the places of homes; results for others stay as they are', async () => {
  assert.ok(homesOf(found).every(({ location }) => location !== undefined));
  for (const client of [plain, older]) {
    const result = await call(client, 'search_sales', SEARCH);
    assert.deepEqual(
      homesOf(result).map(({ id, location }) => [id, location]),
      homesOf(found).map(({ id }) => [id, undefined]),
    );
    const comparables = await call(client, 'find_comparables', { id: homesOf(found)[0]?.id ?? '' });
    assert.doesNotMatch(JSON.stringify(comparables.structuredContent), /"location"/);
  }
  const own = await call(knowing, 'search_sales', { ...SEARCH, fields: ['id', 'price'] });
  assert.ok(homesOf(own).every(({ location }) => location === undefined));
});

test('a search is shown as a map and a list, one home opens from either, by keyboard too', {
  skip,
}, async () => {
  const { frame, faults, links, page: shown } = await show(found);
  const homes = homesOf(found);
  await frame.locator('.rows').waitFor();
  assert.equal(await frame.locator('.row').count(), homes.length);
  const { total } = found.structuredContent as { total: { value: number } };
  assert.match(
    (await frame.locator('h1').textContent()) ?? '',
    new RegExp(`^${total.value.toLocaleString('en-US')} homes`),
  );
  const pinned = await frame.locator('.map-svg .pn').count();
  const merged = await frame.locator('.map-svg .cl').count();
  assert.ok(pinned + merged > 1 && pinned + merged <= homes.length, `${pinned} ${merged}`);
  await frame.locator('.row a').first().focus();
  await shown.keyboard.press('Enter');
  const [first = assert.fail()] = homes;
  assert.equal(await frame.locator('article h2').textContent(), first.address.full);
  assert.equal(await frame.evaluate('document.activeElement.tagName'), 'H2');
  await frame.getByRole('link', { name: 'Open its page' }).click();
  await until('the link is asked for', () => links.length === 1);
  assert.equal(links[0], `${url}/explore/listing/${first.id}`);
  await frame.getByRole('link', { name: 'Back to the list' }).click();
  assert.equal(await frame.evaluate('document.activeElement.getAttribute("href")'), `#home:${first.id}`);
  await frame.getByRole('link', { name: 'Open the map' }).click();
  await until('the other link is asked for', () => links.length === 2);
  assert.equal(links[1], new URL(String((found.structuredContent as { view: string }).view)).href);
  assert.deepEqual(faults, []);
  await shown.context().close();
});

test('one home, live copies and comparables are shown, and a failure says why', { skip }, async () => {
  // Which homes have comparable ones depends on the day.
  let id = '';
  for (const home of homesOf(found)) {
    id = home.id;
    const { structuredContent } = await call(knowing, 'find_comparables', { id });
    if ((structuredContent as { data: object[] } | undefined)?.data.length) break;
  }
  for (const [name, title] of [
    ['get_property', 'One home'],
    ['get_listing_live', 'One home'],
    ['find_comparables', /^\d+ comparable homes?$/],
  ] as const) {
    const { frame, faults, page: shown } = await show(await call(knowing, name, { id }));
    await frame.locator('header h1').waitFor();
    const words = (await frame.locator('h1').textContent()) ?? '';
    assert.ok(typeof title === 'string' ? words === title : title.test(words), `${name}: ${words}`);
    assert.ok((await frame.locator('.map-svg :is(.pn,.cl)').count()) > 0, name);
    assert.deepEqual(faults, [], name);
    await shown.context().close();
  }
  const failed = await call(knowing, 'get_property', { id: 'lst_nothing' });
  const { frame, bridge, page: shown } = await show(failed);
  assert.match(
    (await frame.locator('[role=alert]').textContent()) ?? '',
    /LISTING_NOT_FOUND|PROPERTY_NOT_FOUND|no .*lst_nothing/i,
  );
  await bridge.sendToolCancelled({ reason: 'by the user' });
  await frame.getByText('The call was cancelled: by the user').waitFor();
  await shown.context().close();
});

test('where a result has no places, the page asks the host once, if the host can', { skip }, async () => {
  const result = await call(older, 'search_sales', SEARCH);
  const without = await show(result);
  await without.frame.locator('.rows').waitFor();
  assert.equal(await without.frame.locator('.map').count(), 0);
  await without.page.context().close();
  const host = await show(result, { capabilities: { openLinks: {}, serverTools: {} } });
  const calls: unknown[] = [];
  host.bridge.oncalltool = async ({ name, arguments: args = {} }) => {
    calls.push(name);
    return call(older, name, args) as never;
  };
  await host.frame.getByRole('link', { name: 'Show them on the map' }).click();
  await host.frame.locator('.map-svg').waitFor();
  assert.deepEqual(calls, ['search_sales']);
  await host.page.context().close();
});

test('texts of listings stay texts, and links lead to the web alone', { skip }, async () => {
  const hostile = '<img src=x onerror="parent.postMessage({pwned:1},\'*\')"><script>alert(1)</script>';
  const [home] = homesOf(found);
  const result = {
    content: [{ type: 'text', text: hostile }],
    structuredContent: {
      data: [
        {
          ...home,
          id: `${hostile}"'`,
          status: hostile,
          currency: hostile,
          address: { full: hostile, neighborhood: hostile },
        },
      ],
      view: 'javascript:alert(1)',
      untrusted: [
        { at: '/data/0/attribution', text: hostile },
        { at: '/data/0/description', text: hostile },
      ],
    },
  } as unknown as CallToolResult;
  const { frame, faults, links, page: shown } = await show(result);
  await frame.locator('.row a').first().click();
  assert.equal(await frame.locator('h2').textContent(), hostile);
  assert.equal(await frame.locator('article .plain').textContent(), hostile);
  assert.deepEqual([await frame.locator('img,script[src],main script').count(), faults, links], [0, [], []]);
  assert.equal(await frame.locator('header a').count(), 0);
  const text = { content: [{ type: 'text', text: hostile }], isError: true } as unknown as CallToolResult;
  const failed = await show(text);
  assert.equal(await failed.frame.locator('.plain').textContent(), hostile);
  assert.deepEqual(failed.faults, []);
  await shown.context().close();
  await failed.page.context().close();
});

test('the theme is the host’s, at once and when it changes; the size is sent whenever it changes; axe finds nothing', {
  skip,
}, async () => {
  const paper = { light: 'rgb(250, 248, 244)', dark: 'rgb(20, 24, 22)' };
  for (const width of [390, 1280])
    for (const theme of ['light', 'dark'] as const) {
      // The browser's own theme is the other one.
      const colorScheme = theme === 'light' ? 'dark' : 'light';
      const host = await show(found, { viewport: { width, height: 900 }, colorScheme, context: { theme } });
      const { frame, bridge, sizes, page: shown } = host;
      await frame.locator('.rows').waitFor();
      const ground = () => frame.evaluate('getComputedStyle(document.body).backgroundColor');
      assert.equal(await ground(), paper[theme]);
      assert.deepEqual(await axeFaults(frame), []);
      const height = await frame.evaluate('Math.ceil(document.body.getBoundingClientRect().height)');
      await until('the size is known', () => sizes.at(-1)?.height === height);
      assert.ok((await frame.evaluate<number>('document.documentElement.scrollWidth')) <= width);
      if (process.env.SHOTS) await shown.screenshot({ path: `/tmp/app/app-${width}-${theme}.png` });
      if (process.env.SHOTS) {
        await frame.locator('.row a').first().click();
        await shown.screenshot({ path: `/tmp/app/apphome-${width}-${theme}.png` });
      }
      bridge.setHostContext({ theme: colorScheme });
      await until('the theme follows', async () => (await ground()) === paper[colorScheme]);
      await bridge.teardownResource({});
      await shown.context().close();
    }
});
