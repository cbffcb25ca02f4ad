// What a program does with @freehold/client, on any platform: no `node:` import, nothing that tests have elsewhere.

import {
  ConnectionError,
  Freehold,
  type FreeholdOptions,
  InvalidRequestError,
  NotFoundError,
  TimeoutError,
  verifyWebhook,
  WebhookError,
} from '../../../packages/client/src/index.ts';

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (error: unknown) => error,
  );
const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const utf8 = (text: string) => new TextEncoder().encode(text);

/** What it finds in a service with the sample market; `silentUrl`: a server that never answers. */
export async function run(options: FreeholdOptions, silentUrl: string) {
  const freehold = new Freehold(options);
  const search = freehold.search.sales({ minBedrooms: 3, limit: 7, facets: ['bedrooms'] });
  const { total, facets, limits } = { ...(await search.page()), limits: freehold.limits };
  const homes = await search.all({ limit: 20 });
  const id = homes[0]?.id ?? '';
  let table = '';
  for await (const part of search.csv()) table += part;
  let lines = 0;
  for await (const _ of search.lines()) lines++;
  const streamed: string[] = [];
  for await (const event of freehold.listing.stream(id)) streamed.push(event.type);

  const target = { type: 'search' as const, listingType: 'sale' as const, query: { ids: [id] } };
  const watcher = await freehold.operations.createWatcher({ body: { target, backfill: true } });
  let fed: string | undefined;
  for await (const { event } of freehold.events.feed({ watcherId: watcher.id })) {
    fed = event.type;
    break;
  }
  await freehold.operations.deleteWatcher({ path: { id: watcher.id } });

  const misspelt = await failure(freehold.operations.searchSales({ query: { nmae: 'x' } as object }));
  const missing = await failure(freehold.listing.get('nowhere'));
  const silent = freehold.withOptions({ baseUrl: silentUrl, timeout: 20, maxRetries: 0 });
  const late = await failure(silent.listing.get(id));
  const nobody = freehold.withOptions({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
  const signal = AbortSignal.abort(new Error('enough'));
  const aborted = await failure(freehold.listing.get(id, { signal }));
  return {
    homes: homes.length,
    total: total?.value,
    bedrooms: facets?.bedrooms?.length,
    limits: limits.map(({ name }) => name),
    isWhole: table.trim().split('\r\n').length === lines + 1 && lines === total?.value,
    streamed,
    fed,
    misspelt: misspelt instanceof InvalidRequestError && [misspelt.name, misspelt.faults[0]?.parameter],
    missing: missing instanceof NotFoundError && missing.code,
    late: late instanceof TimeoutError,
    unreachable: (await failure(nobody.listing.get(id))) instanceof ConnectionError,
    aborted: String(aborted),
    webhook: await webhook(),
  };
}

async function webhook() {
  const secret = utf8('s'.repeat(24));
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, hmac, false, ['sign']);
  const time = String(Math.floor(Date.now() / 1_000));
  const body = '{"id":"evt_1","type":"listing.updated"}';
  const signature = base64(
    new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(`msg_1.${time}.${body}`))),
  );
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': time,
    'webhook-signature': `v1,${signature}`,
  };
  const delivery = () => new Request('http://receiver/', { method: 'POST', body, headers });
  const { id } = await verifyWebhook(delivery(), `whsec_${base64(secret)}`);
  const forged = await failure(verifyWebhook(delivery(), `whsec_${base64(utf8('o'.repeat(24)))}`));
  return [id, forged instanceof WebhookError];
}
