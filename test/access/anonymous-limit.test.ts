// Proof of what a caller without a key is allowed, and of the answer when that is used up.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/database/database.ts';
import { startService, type TestService } from '../support/service/service.ts';

async function refusalAfter({ get }: TestService, admitted: number): Promise<string> {
  for (let sent = 0; sent < admitted; sent += 1) assert.equal((await get('/v1/areas')).status, 200);
  const refused = await get('/v1/areas');
  assert.equal(refused.status, 429);
  return ((await refused.json()) as { detail: string }).detail;
}

test('on its own machine the eleventh request without a key in a minute learns which file has keys', async (t) => {
  assert.match(
    await refusalAfter(await startService(t), 10),
    /A key allows more: \/\S+\/keys\.env contains one/,
  );
});

test('a service that others can reach never names a file: it says who gives a key', async (t) => {
  const environment = { PUBLIC_URL: 'https://homes.example' };
  const detail = await refusalAfter(await startService(t, { environment }), 10);
  assert.doesNotMatch(detail, /keys\.env/);
  assert.match(detail, /ask the operator of this service/);
});

test('an operator may allow callers without a key more', async (t) => {
  const file = join(await temporaryFolder(t, 'tiers'), 'tiers.json');
  await writeFile(file, JSON.stringify({ anonymous: { minute: 12 } }));
  await refusalAfter(await startService(t, { environment: { TIERS_FILE: file } }), 12);
});
