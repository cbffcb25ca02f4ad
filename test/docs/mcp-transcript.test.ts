// Proves that the task of docs/mcp-transcript.md goes as the page tells it, through the official client.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../support/check/until.ts';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { connectClient } from '../support/mcp/official-client.ts';
import { missingLine, parseTranscript } from '../support/mcp/transcript.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/mcp-transcript.md').text;

const LISTINGS = 1_000;
/** The market begins in the future, so that its steps follow each other whatever day it is. */
const EPOCH = Date.UTC(2035, 5, 4, 12);

test('a search, a live read, a comparison and a watcher go as docs/mcp-transcript.md tells', async (t) => {
  const folder = await temporaryFolder(t, 'transcript');
  const journal = { version: 1, seed: 'freehold', epoch: EPOCH, size: LISTINGS, deeds: [] };
  await writeFile(join(folder, 'sample-market.json'), JSON.stringify(journal));
  const service = await startService(t, {
    source: 'sample',
    sampleListings: LISTINGS,
    clock: manualClock(EPOCH),
    environment: { DATA_DIR: folder },
  });
  // Waits for the engine, which may be a moment behind the load.
  await service.json('/v1/search/sales?limit=1', service.keys.internal);
  const { client } = await connectClient(t, service, { credential: service.keys.pro });
  let updates = 0;
  client.setNotificationHandler('notifications/resources/updated', () => void updates++);
  // The id that the page shows is not the one that is given here.
  const [shown = assert.fail()] = /wat_[0-9a-f]{24}/.exec(PAGE) ?? [];
  let watcher = shown;
  async function call(tool: string, args: object): Promise<string> {
    const actual = JSON.parse(JSON.stringify(args).replaceAll(shown, watcher)) as Record<string, unknown>;
    const { content, isError } = await client.callTool({ name: tool, arguments: actual });
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    assert.notEqual(isError, true, text);
    return text.trimEnd();
  }
  const steps = parseTranscript(PAGE);
  assert.equal(steps.length, 9);
  for (const step of steps) {
    if (step.kind === 'control') {
      await client.listen({ resourceSubscriptions: [`watcher://${watcher}`] });
      await service.control(step.method, step.path, step.body);
      // Seldom, since every look at the source costs time.
      let looks = 0;
      await until('the watcher has an event', () => {
        if (looks++ % 50 === 0) service.clock.advance(5_000);
        return updates > 0;
      });
      continue;
    }
    const text = await call(step.tool, step.args);
    if (step.tool === 'create_watcher') watcher = /wat_[0-9a-f]{24}/.exec(text)?.[0] ?? '';
    assert.equal(missingLine(step, text), null, `${step.tool} answered:\n${text}`);
  }
});
