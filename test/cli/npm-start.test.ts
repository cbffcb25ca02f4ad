// Tests of `npm start` as supervisors use it: a signal to npm ends the service, whichever npm it is.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { poll } from '../support/check/until.ts';
import { ROOT } from '../support/code/source-files.ts';
import { atEnd, emptyDatabase, temporaryFolder } from '../support/database/database.ts';
import { readyUrl } from '../support/process/cli.ts';
import { CLIENTS, clientsSkip } from '../support/process/client-packages.ts';

for (const npm of ['npm-10', 'npm-11'])
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`${signal} to npm start of ${npm} ends the service in order`, { skip: clientsSkip() }, async (t) => {
      const folder = await temporaryFolder(t, 'npm');
      const { url: database } = await emptyDatabase(t);
      const program = join(CLIENTS, 'node_modules', npm, 'bin/npm-cli.js');
      const child = spawn(process.execPath, [program, 'start'], {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, which is ended whole should the test fail.
        detached: true,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          npm_config_cache: folder,
          npm_config_update_notifier: 'false',
          DATABASE_URL: database,
          DATA_DIR: join(folder, 'data'),
          SOURCE: 'none',
          PORT: '0',
        },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString();
        });
      const ended = once(child, 'close');
      atEnd(t, async () => {
        try {
          process.kill(-(child.pid ?? 0), 'SIGKILL');
        } catch (error) {
          assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH');
        }
        await ended;
      });
      const url = await poll('the service is ready', async () => readyUrl(output), 60_000);
      child.kill(signal);
      await ended;
      assert.match(output, /"event":"stop"/, output);
      assert.equal(await fetch(`${url}/livez`).catch(() => null), null);
    });
