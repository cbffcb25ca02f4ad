// Proof of what `freehold doctor` finds amiss before a start does: settings, tiers file, port.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { atEnd, temporaryFolder } from '../support/database/database.ts';
import { runCli } from '../support/process/cli.ts';
import { startService } from '../support/service/service.ts';

const folder = await temporaryFolder({ after }, 'doctor');

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly remedy: string | null;
}

async function examine(environment: Record<string, string>): Promise<Map<string, Finding>> {
  const { stdout } = await runCli({ after }, ['doctor', '--json'], { folder, environment });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return new Map(findings.map((finding) => [finding.name, finding]));
}

async function occupiedPort(): Promise<number> {
  const server = createServer();
  atEnd({ after }, async () => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('doctor fails where a setting is misspelt, and names the one that was meant', async () => {
  const found = (await examine({ DATABSE_URL: 'postgres://a@b/c' })).get('configuration');
  assert.equal(found?.state, 'fail');
  assert.match(found?.detail ?? '', /^DATABSE_URL is not a setting; did you mean DATABASE_URL\?/);
});

test('doctor fails where the tiers file cannot be used, and is content where it can', async () => {
  const file = join(folder, 'tiers.json');
  await writeFile(file, '{"free": {"minutes": 30}}');
  const wrong = (await examine({ TIERS_FILE: file, PORT: '0' })).get('tiers file');
  assert.equal(wrong?.state, 'fail');
  assert.match(wrong?.detail ?? '', /free\.minutes: no such member/);
  await writeFile(file, '{"free": {"minute": 30}}');
  assert.equal((await examine({ TIERS_FILE: file, PORT: '0' })).get('tiers file')?.state, 'ok');
});

test('doctor fails where another program has the port, and is content where Freehold itself has it', async (t) => {
  const taken = (await examine({ PORT: String(await occupiedPort()) })).get('port');
  assert.equal(taken?.state, 'fail');
  assert.match(taken?.detail ?? '', /^Port \d+ on 127\.0\.0\.1 is in use/);
  const { port } = new URL((await startService(t)).url);
  const own = (await examine({ PORT: port })).get('port');
  assert.equal(own?.state, 'ok');
  assert.match(own?.detail ?? '', /in use by a running Freehold/);
});

test('serve says in one sentence that its port is taken, and has made nothing', async (t) => {
  const port = String(await occupiedPort());
  const environment = { PORT: port, DATA_DIR: join(folder, 'none') };
  const { code, stderr } = await runCli(t, ['serve'], { folder, environment });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^Error: Port ${port} on 127\\.0\\.0\\.1 is in use.*\\n$`));
  assert.equal((await examine({ ...environment, PORT: '0' })).get('data directory')?.state, 'warn');
});

test('serve says in one sentence that its data directory cannot be written', async (t) => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const environment = { PORT: '0', DATA_DIR: join(file, 'data') };
  const { code, stderr } = await runCli(t, ['serve'], { folder, environment });
  assert.equal(code, 1);
  assert.match(stderr, /^Error: DATA_DIR=\S+ cannot be written \(ENOTDIR\): make it writable.*\n$/);
});
