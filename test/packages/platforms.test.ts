// Proof that @freehold/client runs where there is no Node.js, in a browser above all, and how large it is there.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { noBrowser, startBrowser, visit } from '../support/browser/chromium.ts';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import type { run } from '../support/package/client-program.ts';
import { CLIENTS, clientsSkip } from '../support/process/client-packages.ts';
import { listenLocally } from '../support/service/listen-locally.ts';
import { startService } from '../support/service/service.ts';

const skip = clientsSkip();
const README = readSource('packages/client/README.md').text;

/** One minified module without imports, as for a platform that has none. */
async function bundle(entry: string): Promise<string> {
  const folder = await temporaryFolder({ after }, 'bundle');
  const file = join(folder, 'bundle.js');
  const options = ['--bundle', '--minify', '--format=esm', '--platform=neutral', '--log-level=error'];
  const esbuild = join(CLIENTS, 'node_modules/esbuild/bin/esbuild');
  await promisify(execFile)(esbuild, [join(ROOT, entry), ...options, `--outfile=${file}`]);
  return readFile(file, 'utf8');
}

test('bundled for a platform without modules of its own it imports none, and is no larger than its README says', {
  skip,
}, async () => {
  const module = await bundle('packages/client/src/index.ts');
  assert.doesNotMatch(module, /\bimport[\s{*("']|\brequire\(/);
  const [, stated = '', packed = ''] = /(\d+) KB minified, (\d+) KB with gzip/.exec(README) ?? [];
  const { length } = gzipSync(module, { level: 9 });
  assert.ok(module.length <= Number(stated) * 1_000, `${module.length} bytes`);
  assert.ok(length <= Number(packed) * 1_000, `${length} bytes with gzip`);
  await assert.rejects(bundle('packages/client/src/login.ts'), /node:/, 'what needs Node.js would be found');
});

const skipBrowser = skip || noBrowser;

test('a page of another origin, and one of the service, search, page, stream, follow a feed and verify webhooks; a key is refused', {
  skip: skipBrowser,
}, async () => {
  const { url, keys } = await startService({ after }, { source: 'sample' });
  const silent = createServer(() => {});
  const silentUrl = `http://127.0.0.1:${await listenLocally({ after }, silent)}`;
  const module = await bundle('test/support/package/client-program.ts');
  const pages = createServer((request, response) => {
    const isScript = request.url === '/program.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.setHeader('access-control-allow-origin', '*');
    response.end(
      isScript ? module : '<!doctype html><link rel="icon" href="data:,"><title>Elsewhere</title>',
    );
  });
  const origin = `http://127.0.0.1:${await listenLocally({ after }, pages)}`;
  // What the test answers in place of the service has no address, and may then not ask this machine.
  const flags = ['--disable-features=LocalNetworkAccessChecks'];
  const { page } = await visit(await startBrowser({ after }, { flags }), origin, {
    origins: [origin, url, silentUrl],
  });
  const runWith = (credential: string) =>
    page.evaluate(`(async () => {
      const { run } = await import('${origin}/program.js');
      return run({ baseUrl: '${url}', ${credential} }, '${silentUrl}').catch((error) => error.stack);
    })()`) as Promise<Awaited<ReturnType<typeof run>>>;
  const token = `token: async () => '${keys.business}'`;
  const { total = 0, bedrooms = 0, ...exact } = await runWith(token);
  assert.ok(total > 20 && bedrooms > 1);
  const expected: typeof exact = {
    homes: 20,
    limits: ['minute', 'month'],
    isWhole: true,
    streamed: ['cached', 'live'],
    fed: 'search.match_added',
    misspelt: ['InvalidRequestError', 'nmae'],
    missing: 'LISTING_NOT_FOUND',
    late: true,
    unreachable: true,
    aborted: 'Error: enough',
    webhook: ['evt_1', true],
  };
  assert.deepEqual(exact, expected);
  assert.match(String(await runWith(`key: '${keys.business}'`)), /TypeError: A key in a browser/);
  // The same from the service's own origin, which a policy of its pages would not let it load.
  const own = `${url}/page-of-the-test`;
  await page.route(own, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(own);
  const { total: _, bedrooms: __, ...same } = await runWith(token);
  assert.deepEqual(same, expected);
});
