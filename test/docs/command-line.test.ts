// Proves that the commands of docs/command-line.md work as they stand, and that its list of commands is that of the program.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiCommands, readDocument } from '../../src/cli/api/document.ts';
import { EXIT } from '../../src/cli/failure.ts';
import { poll } from '../support/check/until.ts';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { follow, shellBlocks, writeKeys } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/command-line.md').text;

test('whoever follows docs/command-line.md searches, takes all, sees a home live and creates a watcher', async (t) => {
  const service = await startService(t, { source: 'sample' });
  await poll('a search finds homes in Ashcombe', async () => {
    const page = (await service.json(
      '/v1/search/sales?city=Ashcombe&limit=1',
      service.keys.pro,
    )) as unknown as {
      data: readonly unknown[];
    };
    return page.data[0];
  });
  const folder = await temporaryFolder(t, 'command-line');
  await writeKeys(folder, service.keys);
  const [usage = '', search = '', more = '', live = '', watch = ''] = await follow(
    shellBlocks(PAGE),
    folder,
    service.url,
  );
  assert.equal((JSON.parse(usage) as { tier: string }).tier, 'business');
  assert.match(search, /^\s*PRICE +ADDRESS/);
  assert.equal(search.match(/^\{"id":"lst_.*"price":/gm)?.length, 3);
  assert.match(more, /^\s*\d+\n {2}"total": \{\n +"value": \d+,/);
  assert.match(live, /^EVENT .*\ncached .*\nlive .*\n/m);
  assert.match(live, /LISTED/);
  assert.match(watch, /"id":"wat_[0-9a-f]+".*"name":"Family homes"/);
});

test('the page lists every command with its operations, and the exit codes that there are', () => {
  const rows = [...PAGE.matchAll(/^\| `freehold api ([a-z -]+)` \| (.*) \|$/gm)].map(([, name, calls]) => [
    name,
    calls,
  ]);
  const expected = apiCommands(readDocument()).map(({ words, operation, variants }) => [
    words.join(' '),
    [operation, ...variants.values()].map(({ method, path }) => `\`${method} ${path}\``).join(', '),
  ]);
  assert.deepEqual(rows, expected);
  const codes = [...PAGE.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  assert.deepEqual(codes, [0, ...Object.values(EXIT)]);
});
