// Tests with the official conformance suite for MCP servers, at each revision of the protocol that is served.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../support/database/database.ts';
import {
  type BaselineEntry,
  CONFORMANCE_SUITE,
  compareWithBaseline,
  type Finding,
  readFindings,
} from '../support/mcp/conformance.ts';
import { startKeyProxy } from '../support/mcp/key-proxy.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const proxy = await startKeyProxy({ after }, service, service.keys.internal);
const BASELINE = JSON.parse(
  readFileSync(join(import.meta.dirname, 'conformance-baseline.json'), 'utf8'),
) as readonly BaselineEntry[];

/** Scenarios that need nothing of a server but to be one, by the first and last revision that has them. */
const SCENARIOS: Readonly<Record<string, readonly [first: string, last: string]>> = {
  'server-initialize': ['2025-06-18', '2025-11-25'],
  ping: ['2025-06-18', '2025-11-25'],
  'tools-list': ['2025-06-18', '2026-07-28'],
  'resources-list': ['2025-06-18', '2026-07-28'],
  'prompts-list': ['2025-06-18', '2026-07-28'],
  'dns-rebinding-protection': ['2025-11-25', '2026-07-28'],
  'server-stateless': ['2026-07-28', '2026-07-28'],
  'sep-2164-resource-not-found': ['2026-07-28', '2026-07-28'],
  caching: ['2026-07-28', '2026-07-28'],
  'http-header-validation': ['2026-07-28', '2026-07-28'],
};

async function runSuite(t: TestContext, revision: string): Promise<readonly Finding[]> {
  const folder = await temporaryFolder(t, 'conformance');
  const args = ['server', '--url', `${proxy}/mcp`, '--suite', 'all', '--spec-version', revision];
  // It ends with 1 where any check does not pass: what it wrote decides.
  await new Promise((resolve) =>
    execFile(
      process.execPath,
      [CONFORMANCE_SUITE, ...args, '--output-dir', folder],
      { timeout: 120_000 },
      resolve,
    ),
  );
  return readFindings(folder);
}

for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
  test(`${revision}: every check of the suite passes, but those of the baseline, which may only shrink`, async (t) => {
    const findings = await runSuite(t, revision);
    assert.deepEqual(compareWithBaseline(findings, BASELINE, revision), { unexpected: [], outdated: [] });
    const passed = new Set(
      findings.filter(({ status }) => status === 'SUCCESS').map(({ scenario }) => scenario),
    );
    const due = Object.entries(SCENARIOS).filter(
      ([, [first, last]]) => first <= revision && revision <= last,
    );
    for (const [scenario] of due) assert.ok(passed.has(scenario), `${scenario} was not run`);
  });
}

test('a check that fails and is not in the baseline is told, and one of the baseline that passes', () => {
  const baseline = [{ reason: 'A reason.', revisions: ['r1'], checks: ['s/known', 's/better', 's/gone'] }];
  const findings: Finding[] = [
    { scenario: 's', id: 'known', status: 'FAILURE' },
    { scenario: 's', id: 'better', status: 'SUCCESS' },
    { scenario: 's', id: 'note', status: 'INFO' },
    { scenario: 's', id: 'worse', status: 'WARNING', errorMessage: 'Oh' },
  ];
  assert.deepEqual(compareWithBaseline(findings, baseline, 'r1'), {
    unexpected: ['s/worse: WARNING Oh'],
    outdated: ['s/better', 's/gone'],
  });
  assert.deepEqual(compareWithBaseline(findings, baseline, 'r2').outdated, []);
});

test('the baseline gives a reason for each check, and names none twice', () => {
  const names = BASELINE.flatMap(({ revisions, checks, reason }) => {
    assert.ok(reason.length > 20);
    return revisions.flatMap((revision) => checks.map((check) => `${revision} ${check}`));
  });
  assert.equal(new Set(names).size, names.length);
});
