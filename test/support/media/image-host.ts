// Host of images for tests: each path answers as the test wants, and is counted.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { crc32, deflateSync } from 'node:zlib';
import type { Closing } from '../database/database.ts';
import { listenLocally } from '../service/listen-locally.ts';

/** What a path answers: a file, or whatever the function does. */
export type Served = Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

export interface ImageHost {
  readonly url: string;
  readonly port: number;
  readonly paths: Map<string, Served>;
  /** Paths that were requested, in their order. */
  readonly requested: string[];
  readonly headers: IncomingMessage['headers'][];
  /** How often a path was requested. */
  count(path: string): number;
}

/** Starts a host that ends with the test. Paths that are not there are 404. */
export async function startImageHost(t: Closing): Promise<ImageHost> {
  const paths = new Map<string, Served>();
  const requested: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    requested.push(path);
    headers.push(request.headers);
    const served = paths.get(path);
    if (served === undefined) response.writeHead(404).end();
    else if (typeof served === 'function') served(request, response);
    else response.writeHead(200, { 'content-type': 'image/png' }).end(served);
  });
  const port = await listenLocally(t, server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    paths,
    requested,
    headers,
    count: (path) => requested.filter((each) => each === path).length,
  };
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A picture in one grey; `rows`: how many of its rows there are. */
export function png(width: number, height: number, grey = 128, rows = height): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const row = Buffer.alloc(width + 1, grey);
  row[0] = 0;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: rows }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
