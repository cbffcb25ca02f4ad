// Proof that what agents send is never written down, and that their tokens go to nobody else (R31, AT7).

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createLog } from '../../src/lib/log.ts';
import { OWN } from '../../src/licence/terms/terms.ts';
import { copyTables } from '../support/database/table-copy.ts';
import { Canaries, canaryKey, canaryToken } from '../support/fuzz/canaries.ts';
import { callTool, ERAS, send } from '../support/mcp/messages.ts';
import { signIn } from '../support/oauth/oauth.ts';
import { startService } from '../support/service/service.ts';
import { startUpstream } from '../support/sources/upstream.ts';

test('R31, AT7: secrets in arguments, names, URIs and headers are in no log, metric or table, and no token reaches the source', async (t) => {
  const upstream = await startUpstream(t);
  const record = { ListingKey: 'a', ListPrice: 1, StandardStatus: 'Active', PropertyType: 'Residential' };
  upstream.records.set('a', { ...record, ModificationTimestamp: '2026-01-01T00:00:00Z' });
  const sink = new PassThrough();
  const written: Buffer[] = [];
  sink.on('data', (chunk: Buffer) => written.push(chunk));
  const service = await startService(t, {
    log: createLog({ level: 'trace', stream: sink }),
    environment: {
      SOURCE: 'reso',
      RESO_PROFILE_OVERRIDES: JSON.stringify({ licence: OWN }),
      RESO_BASE_URL: upstream.url,
      RESO_TOKEN_URL: upstream.tokenUrl,
      RESO_CLIENT_ID: 'client',
      RESO_CLIENT_SECRET: 'secret',
    },
  });
  const { accessToken, refreshToken } = await signIn(service, { key: service.keys.business });
  const canaries = new Canaries();
  canaries.watch('the access token', accessToken);
  canaries.watch('the refresh token', refreshToken);
  canaries.watch('the key', service.keys.business);
  const [foreignKey, text] = [canaryKey(), canaryToken()];
  canaries.watch('a key in an argument', foreignKey);
  canaries.watch('a text in an argument', text);
  const { data }: { data: { id: string }[] } = await service.json('/v1/search/sales', service.keys.pro);
  const [{ id } = assert.fail('the source was read')] = data;

  const received: string[] = [];
  upstream.faults.entity = (request, response) => {
    received.push(JSON.stringify([request.url, request.rawHeaders]));
    response.writeHead(500).end();
  };
  const tools = ['search_sales', 'find_areas', 'get_property', 'create_watcher', 'get_usage', text];
  for (const era of ERAS) {
    const options = { era, credential: accessToken } as const;
    for (const secret of [foreignKey, text]) {
      for (const tool of tools) {
        await callTool(service, tool, { q: secret, id: secret, [secret]: secret, name: [secret] }, options);
        await callTool(service, tool, { cursor: secret, metadata: { [secret]: secret } }, options);
      }
      for (const uri of [`listing://${secret}`, secret, `watcher://${secret}`, `${secret}://x`])
        await send(service, 'resources/read', { uri }, options);
      const ref = { type: 'ref/resource', uri: 'area://{id}' };
      await send(service, 'completion/complete', { ref, argument: { name: 'id', value: secret } }, options);
      await send(service, 'prompts/get', { name: secret, arguments: { [secret]: secret } }, options);
      await send(service, 'prompts/get', { name: 'find_home', arguments: { area: secret } }, options);
      await send(service, secret, { [secret]: secret }, { ...options, id: secret });
      const listen = { notifications: { resourceSubscriptions: [`listing://${secret}`, secret] } };
      await send(service, 'subscriptions/listen', listen, {
        ...options,
        signal: AbortSignal.timeout(500),
      }).catch(() => {});
      const headers = { 'mcp-session-id': secret, 'last-event-id': secret, 'mcp-name': secret };
      await send(service, 'tools/list', {}, { ...options, headers });
      await send(service, 'tools/list', {}, { era, credential: secret });
      await send(service, 'tools/list', {}, { ...options, headers: { origin: `https://${secret}` } });
    }
    const read = await callTool(service, 'get_listing_live', { id }, options);
    assert.equal(read.status, 200);
  }
  assert.ok(received.length > 0, 'the source was asked');
  assert.deepEqual(canaries.in(received.join('\n')), []);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  assert.match(metrics, /freehold_mcp_calls_total\{/);
  assert.deepEqual(canaries.in(metrics), []);
  assert.deepEqual(canaries.in(await copyTables(service.database)), []);
  const lines = Buffer.concat(written).toString().split('\n');
  for (const line of lines) assert.deepEqual(canaries.in(line), [], line);
  assert.ok(lines.filter((line) => line.includes('"rpc":"tools/call"')).length > 40, 'calls are in the log');
});
