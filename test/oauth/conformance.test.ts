// Test with the official conformance suite for authorization servers.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { after, type TestContext, test } from 'node:test';
import { until } from '../support/check/until.ts';
import { atEnd, temporaryFolder } from '../support/database/database.ts';
import { CONFORMANCE_SUITE, type Finding, readFindings } from '../support/mcp/conformance.ts';
import { registerClient } from '../support/oauth/authorize.ts';
import { decideAt } from '../support/oauth/person.ts';
import { quietPort } from '../support/service/ports.ts';
import { startService } from '../support/service/service.ts';

/** What the suite wishes for and we do not do, each with the reason. */
const WARNINGS: Readonly<Record<string, string>> = {};

const service = await startService({ after });

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/**
 * Runs the suite's command for authorization servers; decides at each address that it tells its user to open, which it may do
 * before it listens for the user's return.
 */
async function runSuite(
  t: TestContext,
  port: number,
  options: readonly string[],
): Promise<readonly Finding[]> {
  const folder = await temporaryFolder(t, 'conformance');
  const args = [CONFORMANCE_SUITE, 'authorization', '--url', service.url, '--output-dir', folder, ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000 });
  atEnd(t, async () => void child.kill());
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith(`${service.url}/oauth/authorize?`)) continue;
    await until('the suite listens', () => isListening(port));
    await fetch(await decideAt(line, { decision: 'key', api_key: service.keys.pro }));
  }
  await ended;
  return readFindings(folder);
}

/** Fails on everything that is neither a success nor a wish which is known. */
function assertConformant(findings: readonly Finding[], expected: readonly string[]): void {
  const wrong = findings.filter(
    ({ id, status }) => status !== 'SUCCESS' && !(status === 'WARNING' && Object.hasOwn(WARNINGS, id)),
  );
  assert.deepEqual(wrong, []);
  assert.deepEqual(findings.map(({ id }) => id).toSorted(), expected.toSorted());
}

const METADATA = ['authorization-server-metadata', 'authorization-server-metadata-cimd'];

for (const [name, resource] of [
  ['for the API', service.url],
  ['for the MCP endpoint', `${service.url}/mcp`],
] as const) {
  test(`the conformance suite finds the metadata and the code grant right, ${name}`, async (t) => {
    const port = await quietPort();
    const client = await registerClient(service, `http://127.0.0.1:${port}/callback`);
    const options = ['--client-id', client, '--port', String(port), '--resource', resource];
    assertConformant(await runSuite(t, port, options), [...METADATA, 'authorization-code-grant']);
  });
}
