// Server of nginx with nchan: one worker on core 0.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireFreePort } from '../../src/http/server/listen-address.ts';
import type { Arm } from '../testbed.ts';

const NGINX = '/usr/sbin/nginx';
const MODULE = '/usr/lib/nginx/modules/ngx_nchan_module.so';

/** Why there is nothing to compare with; null: it is installed. */
export const nchanMissing = (): string | null =>
  existsSync(NGINX) && existsSync(MODULE) ? null : 'nginx with nchan is not installed';

const configuration = (folder: string, port: number, connections: number): string => `
daemon off;
master_process off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
load_module ${MODULE};
events { worker_connections ${connections}; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  server {
    listen 127.0.0.1:${port} backlog=511;
    location / {
      nchan_publisher;
      nchan_channel_id feed;
    }
    location /v1/events/stream {
      nchan_subscriber eventsource;
      nchan_channel_id feed;
      nchan_subscriber_first_message newest;
      nchan_eventsource_ping_interval 20;
    }
  }
}
`;

/** Starts nginx in the foreground; its one process is the worker. */
export async function startNchan(folder: string, connections: number): Promise<Arm> {
  const own = join(folder, 'nchan');
  await mkdir(own);
  const port = await requireFreePort('127.0.0.1', 0);
  await writeFile(join(own, 'nginx.conf'), configuration(own, port, connections));
  const options = ['-c', '0', NGINX, '-p', own, '-e', join(own, 'error.log'), '-c', join(own, 'nginx.conf')];
  const child = spawn('taskset', options, { stdio: ['ignore', 'ignore', 'inherit'] });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  const url = `http://127.0.0.1:${port}`;
  await answering(url, child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    process.off('exit', end);
    end();
    await ended;
  };
  return { url, pid: child.pid ?? 0, stop };
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('nginx ended before it was ready');
    const answer = await fetch(url).catch(() => null);
    if (answer !== null) return;
    await sleep(20);
  }
}
