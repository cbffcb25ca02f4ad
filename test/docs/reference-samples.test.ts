// Proof that the requests that the API reference shows can be sent as they stand.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { EXAMPLE_IDS } from '../../src/app/examples.ts';
import { writeRegistered } from '../../src/sources/registry/registry-store.ts';
import { createToken } from '../../src/sources/registry/set-up.ts';
import { noBrowser as skip, startBrowser, visit } from '../support/browser/chromium.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { png } from '../support/media/image-host.ts';
import { createSender, record } from '../support/push/sender.ts';
import { startService, type TestService } from '../support/service/service.ts';
import { INTERNET, SECRETS_KEY, writeDelivery } from '../support/watch/webhooks.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly example?: object }> };
}

type Document = { readonly paths: Record<string, Record<string, Operation>> };

const PHOTO = new Uint8Array(png(8, 6));
const photo = join(await temporaryFolder({ after }, 'reference'), 'photo.png');
await writeFile(photo, PHOTO);

/** A service with the sample market, and webhooks that send nothing. */
function startSample(t: TestContext): Promise<TestService> {
  const overrides = { internet: INTERNET, deliversWebhooks: false };
  return startService(t, { source: 'sample', environment: { SECRETS_KEY }, overrides });
}

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

test('every request that the reference shows is answered, with the key of its tier and words in capitals filled in', {
  skip,
}, async (t) => {
  const service = await startSample(t);
  const browser = await startBrowser(t);
  const document: Document = await service.json('/openapi.json');
  const { page, faults } = await visit(browser, `${service.url}/docs/reference`, {
    origins: [service.url],
    reducedMotion: 'reduce',
    viewport: { width: 1_000, height: 200 },
  });
  const answers: Record<string, string> = {};
  const source = await createSender(service, 'my-crm');
  const feed = await feedToken(service);
  const tokenOf = (operation: string, tags: readonly string[], word: string): string => {
    if (!tags.includes('Push')) return word;
    return operation === 'receiveEvents' ? feed : source.token;
  };
  for (const { path, method, operation } of operationsOf(document)) {
    const { operationId, tags } = operation;
    const place = `tag/${tags[0]?.toLowerCase()}/${method.toUpperCase()}${path}`;
    await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
    const sample = page
      .locator(`[id="api-1/${place}"] pre`)
      .filter({ hasText: /^\s*curl / })
      .first();
    const command = (await sample.innerText())
      .trim()
      .replace('YOUR_SECRET_TOKEN', (word) => tokenOf(operationId, tags, word));
    await service.clock.advance(60_000);
    answers[operationId] = await send(command, operationId, service, answers);
  }
  assert.ok(JSON.parse(answers.searchSales ?? '').data.length > 0);
  assert.ok(JSON.parse(answers.getArea ?? '').counts.sales > 0);
  assert.match(answers.streamListing ?? '', /^event: live$/m);
  assert.match(answers.revokeToken ?? 'none', /^$/);
  assert.deepEqual(faults, []);
});

/** The token of a source that is read from a RESO server. */
async function feedToken({ database, clock }: TestService): Promise<string> {
  const feed = { id: 'reso', name: 'Feed', kind: 'reso', settings: {}, setBy: 'command' } as const;
  await database.write((sql) => writeRegistered(sql, feed, new Date(clock.now())));
  return createToken(database, feed.id);
}

/** Runs a command as somebody would who pastes it; gives what it printed. Throws where the answer is a refusal. */
async function send(
  command: string,
  operationId: string,
  service: TestService,
  answers: Readonly<Record<string, string>>,
): Promise<string> {
  const { keys } = service;
  const watcher = command.includes(EXAMPLE_IDS.watcher) ? await createWatcher(service) : '';
  const delivery = command.includes(EXAMPLE_IDS.delivery) ? await deliver(service, watcher) : '';
  const filled = command
    .replace(EXAMPLE_IDS.watcher, watcher)
    .replace(EXAMPLE_IDS.delivery, delivery)
    .replace('YOUR_SECRET_TOKEN', keyOf(command, service))
    // What the reference calls a file is one of whoever sends it.
    .replace("'Content-Type: image/jpeg'", "'Content-Type: image/png'")
    .replace("--data '@filename'", `--data-binary '@${photo}'`)
    .replace('SERVICE-00000000-0000-0000-0000-000000000000', keys.free)
    .replace('CODE_FROM_THE_REDIRECT', () => partOf(answers.decideConsent, /[?&]code=([^&\s]+)/))
    .replace('REFRESH_TOKEN', () => partOf(answers.exchangeToken, /"refresh_token":"([^"]+)"/));
  const headers = operationId === 'decideConsent' ? '--include' : '';
  // A feed has no end: it is read for a second.
  const [limit, ending] = /\/stream\b/.test(command) ? [1, ' || test $? = 28'] : [30, ''];
  const script = `curl() { command curl --silent --show-error --fail-with-body --max-time ${limit} ${headers} "$@"${ending}; }\n${filled}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script]).catch(
    (error: { stdout: string; stderr: string }) => assert.fail(`${filled}\n${error.stdout}${error.stderr}`),
  );
  return stdout;
}

/** The key of the lowest tier that the sample works with, as often as it is sent here. */
function keyOf(command: string, { keys }: TestService): string {
  if (/\/v1\/(?:watchers|events|changes)/.test(command)) return keys.business;
  return command.includes('/v1/listing/') ? keys.pro : keys.free;
}

/** The id of a delivery that a webhook of the watcher refused. */
async function deliver({ database, clock }: TestService, watcherId: string): Promise<string> {
  await database.write((sql) => sql`update webhook set status = 'active' where watcher_id = ${watcherId}`);
  return writeDelivery({ database }, { watcherId, sequence: 1, status: 'parked', at: clock.now() });
}

/** The id of a watcher of the business key, with a webhook. */
async function createWatcher({ url, keys }: TestService): Promise<string> {
  const target = { type: 'search', listingType: 'sale', query: { maxPrice: 600_000 } };
  const answer = await fetch(`${url}/v1/watchers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.business}`, 'content-type': 'application/json' },
    body: JSON.stringify({ target, delivery: [{ type: 'webhook', url: 'https://receiver.example/hook' }] }),
  });
  const { id } = (await answer.json()) as { id?: string };
  return id ?? assert.fail(`a watcher is created: ${answer.status}`);
}

const partOf = (answer = '', part: RegExp): string => part.exec(answer)?.[1] ?? '';

/** Parameters that mean something only beside others. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  lat: ['lng', 'radius'],
  lng: ['lat', 'radius'],
  radius: ['lat', 'lng'],
  zoom: ['cluster', 'bbox'],
  cluster: ['zoom', 'bbox'],
  qFields: ['q'],
  suggest: ['q'],
  featuresOperator: ['features'],
  from: ['to'],
  to: ['from'],
  priceBucket: ['facets'],
};

/** What an answer before gives is not known beforehand. */
const FROM_ANSWERS = ['cursor', 'digest'];

test('every parameter and body has an example, and every example is accepted', async (t) => {
  const service = await startSample(t);
  const { url, json, keys } = service;
  const document: Document = await json('/docs/reference.json');
  const plain: Document = await json('/openapi.json');
  const missing: string[] = [];
  for (const { path, operation } of operationsOf(plain)) {
    for (const { name, example } of operation.parameters ?? [])
      if (example === undefined) missing.push(`${path} ${name}`);
    // Files have none: their bytes are no JSON.
    for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {}))
      if (example === undefined && !type.startsWith('image/')) missing.push(`${path} body`);
  }
  assert.deepEqual(missing, []);
  const [rentals, sales] = ['rentals', 'sales'].map((type) =>
    namesOf(plain.paths[`/v1/search/${type}`]?.get),
  );
  const ofRentals = new Set(rentals?.filter((name) => !sales?.includes(name)));
  const refused: string[] = [];
  const watcher = await createWatcher(service);
  const source = await createSender(service, 'my-crm');
  for (const { path, method, operation } of operationsOf(document).filter(({ path: each }) =>
    each.startsWith('/v1/'),
  )) {
    for (const { name, address } of requestsOf(path, operation)) {
      const fitting = ofRentals.has(name)
        ? address.replace('listingType=sale', 'listingType=rental')
        : address;
      const key = keyOf(address, service) === keys.business ? keys.business : keys.internal;
      const isPush = operation.tags.includes('Push');
      const pushed = `A-${randomUUID()}`;
      if (isPush && method !== 'post') await source.put(pushed, record());
      const content = operation.requestBody?.content ?? {};
      const isPhoto = 'image/png' in content;
      const hasBody = isPush && operation.requestBody !== undefined;
      const answer = await fetch(
        `${url}${fitting.replace(EXAMPLE_IDS.watcher, watcher).replace('A-1027', pushed)}`,
        {
          ...(isPush && { method: method.toUpperCase() }),
          headers: {
            authorization: `Bearer ${isPush ? source.token : key}`,
            ...(hasBody && { 'content-type': isPhoto ? 'image/png' : 'application/json' }),
          },
          ...(hasBody && {
            body: isPhoto ? PHOTO : JSON.stringify(content['application/json']?.example ?? {}),
          }),
        },
      );
      const isFeed = answer.status === 200 && path.endsWith('/stream');
      const text = isFeed ? '' : await answer.text();
      if (isFeed) await answer.body?.cancel();
      if (!answer.ok) refused.push(`${fitting}: ${text}`);
    }
  }
  assert.deepEqual(refused, []);
});

const namesOf = (operation?: Operation): string[] => operation?.parameters?.map(({ name }) => name) ?? [];

/** A request for each optional parameter, with those that it must have and those that it needs beside it. */
function requestsOf(path: string, { parameters = [] }: Operation) {
  const known = new Map(parameters.map((each) => [each.name, each]));
  const optional = parameters.filter(({ name, required }) => !required && !FROM_ANSWERS.includes(name));
  const required = parameters.filter((each) => each.required);
  return optional.map((parameter) => {
    const beside = (COMPANIONS[parameter.name] ?? []).flatMap((name) => known.get(name) ?? []);
    const sent = new Set([...required, parameter, ...beside]);
    const query = new URLSearchParams();
    let address = path;
    for (const each of sent) {
      const value = exampleOf(each);
      if (each.in === 'path') address = address.replace(`{${each.name}}`, String(value));
      else for (const text of textsOf(each.name, value)) query.append(each.name, text);
    }
    return { name: parameter.name, address: `${address}?${query}` };
  });
}

const exampleOf = (parameter: Parameter): unknown =>
  (parameter as { examples?: { sample: { value: unknown } } }).examples?.sample.value;

function textsOf(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) return [String(value)];
  return name === 'points' ? value.map(String) : [value.join()];
}
