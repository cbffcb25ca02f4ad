// Proves that the commands and settings of docs/billing.md work as they stand, against a Polar and a Stripe of the tests.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { EVENT_TYPES } from '../../src/billing/event-subjects.ts';
import { readConfig } from '../../src/config.ts';
import { startPayingService } from '../support/billing/paying-service.ts';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { follow, shellBlocks } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/billing.md').text;
const CONFIGURATION = readSource('docs/configuration.md').text;

/** The text of a section of the page. */
function section(title: string): string {
  const [, text] = new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(PAGE) ?? [];
  assert.ok(text, title);
  return text;
}

test('whoever follows docs/billing.md creates a key and imports others, each of which works', async (t) => {
  const service = await startService(t);
  const folder = await temporaryFolder(t, 'billing');
  const environment = { DATABASE_URL: service.databaseUrl };
  const [created = ''] = await follow(
    shellBlocks(section('Keys of your own')),
    folder,
    service.url,
    environment,
  );
  const [key = ''] = /SERVICE-[0-9A-F-]{36}/.exec(created) ?? [];
  assert.equal(((await service.json('/v1/usage', key)) as { tier: string }).tier, 'pro');
  assert.match(created, /USED +LAST USE/);
  assert.match(created, /acme +Acme Homes/);
  const [imported = ''] = await follow(shellBlocks(section('Import keys')), folder, service.url, environment);
  assert.match(imported, /2 keys can be imported\..*2 created, 0 changed/s);
  const known = 'SERVICE-5B1F0C9E-7A52-4C0B-9E55-0F6C2B7D1A0';
  for (const [number, tier] of ['pro', 'free'].entries())
    assert.equal(((await service.json('/v1/usage', `${known}${number + 1}`)) as { tier: string }).tier, tier);
});

test('the blocks of docs/billing.md about Stripe work with a bought key, and issue another one for its subscription', async (t) => {
  const { service, shop } = await startPayingService(t, 'stripe');
  const { account } = shop.server;
  const price = account.addPlan('pro', { amount: 1_000, suffix: '_docs' });
  const page = await fetch(`${service.url}/billing/checkout`, {
    method: 'POST',
    body: new URLSearchParams({ price }),
  });
  const html = await page.text();
  const [key = ''] = /SERVICE-[0-9A-F-]{36}/.exec(html) ?? [];
  const [, session = ''] = /\/c\/pay\/(\w+)/.exec(html) ?? [];
  const { id } = account.complete(session);
  const folder = await temporaryFolder(t, 'stripe');
  const blocks = shellBlocks(section('Stripe') + section('Check it'));
  const [used = '', issued = '', checked = ''] = await follow(blocks, folder, service.url, {
    ...shop.environment,
    DATABASE_URL: service.databaseUrl,
    FREEHOLD_PRO_KEY: key,
    REFERENCE: id,
  });
  assert.match(used, /"tier":"pro"/);
  assert.match(used, new RegExp(`^${id} +pro +…${key.slice(-4)} +active `, 'm'));
  const [other = ''] = /SERVICE-[0-9A-F-]{36}/.exec(issued) ?? [];
  assert.match(checked, /There is none yet\./);
  service.clock.advance(600_000);
  assert.equal(((await service.json('/v1/usage', other)) as { tier: string }).tier, 'pro');
  const old = await service.get('/v1/usage', key);
  assert.equal(((await old.json()) as { reason: string }).reason, 'replaced');
});

test('the blocks of docs/billing.md about Polar work with the key that it issued', async (t) => {
  const { service, shop } = await startPayingService(t, 'polar');
  const { world } = shop.server;
  const { key } = world.keyOf(world.subscribe(shop.products.pro));
  const folder = await temporaryFolder(t, 'polar');
  const blocks = shellBlocks(section('Polar') + section('Check it'));
  const [used = '', checked = ''] = await follow(blocks, folder, service.url, {
    ...shop.environment,
    DATABASE_URL: service.databaseUrl,
    FREEHOLD_PRO_KEY: key,
  });
  assert.match(used, /"tier":"pro"/);
  assert.match(used, /^[0-9a-f-]{36} +pro +active /m);
  assert.match(checked, /There is none yet\./);
});

test('every shell block of docs/billing.md is one of those that run here', () => {
  const run = ['Keys of your own', 'Import keys', 'Stripe', 'Polar', 'Check it'].flatMap((title) =>
    shellBlocks(section(title)),
  );
  assert.deepEqual(run.toSorted(), shellBlocks(PAGE).toSorted());
});

test('the settings of docs/billing.md are complete', () => {
  const files = [...PAGE.matchAll(/^```ini\n([\s\S]*?)^```$/gm)].map(([, file = '']) =>
    readConfig(parseEnv(file), ROOT),
  );
  assert.deepEqual(
    files.map(({ subscriptions }) => subscriptions.kind),
    ['polar', 'stripe'],
  );
  for (const { billing } of files) assert.ok(billing.portalUrl);
});

test('docs/billing.md names events that count, and every kind of them', () => {
  for (const [title, types] of [
    ['Polar', EVENT_TYPES.polar],
    ['Stripe', EVENT_TYPES.stripe],
  ] as const) {
    const names = [...section(title).matchAll(/`([a-z_]+(?:\.[a-z_]+)*\.[a-z_]*)`/g)].map(
      ([, name = '']) => name,
    );
    const events = names.filter((name) => types.some((type) => type.startsWith(name)));
    const covered = types.filter((type) =>
      events.some((name) => type === name || (name.endsWith('.') && type.startsWith(name))),
    );
    const doubled = ['invoice.payment_succeeded'];
    assert.deepEqual(
      types.filter((type) => !covered.includes(type) && !doubled.includes(type)),
      [],
      title,
    );
  }
});

test('all pages name the same scopes of a token at Polar, those that its API asks for', () => {
  const scopes = (text: string) =>
    [...text.matchAll(/`([a-z_]+:(?:read|write))`/g)].map(([, scope]) => scope);
  const [setting = ''] = CONFIGURATION.split('\n').filter((line) => line.includes('`POLAR_ACCESS_TOKEN`'));
  const [token = ''] = /\*\*Token\.\*\*[\s\S]*?\n\n/.exec(section('Polar')) ?? [];
  const needed = [
    'license_keys:write',
    'benefits:read',
    'subscriptions:read',
    'products:read',
    'checkouts:write',
  ];
  assert.deepEqual(scopes(setting), needed);
  assert.deepEqual(scopes(token), needed);
});
