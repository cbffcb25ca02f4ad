// Server of oidc-provider: its token endpoint, and its check of an access token behind node:http alone.

import { createServer } from 'node:http';
import postgres from 'postgres';
import { parseDatabaseUrl } from '../../src/postgres/client/connection-url.ts';
import { postgresAdapter } from './adapter.ts';
import { createPeer } from './peer.ts';

const { host, port, database, user, password = '' } = parseDatabaseUrl(process.env.DATABASE_URL ?? '');
/** As many connections as we have, and the driver's own fast path: statements that are prepared once. */
const sql = postgres({ host, port, database, user, password, max: 10, fetch_types: false });
const listening = Number(process.env.PORT);
const peer = createPeer(`http://127.0.0.1:${listening}`, postgresAdapter(sql));
const handle = peer.callback();
const body = process.env.BODY ?? '{}';

async function isGood(authorization: string | undefined): Promise<boolean> {
  const token = await peer.AccessToken.find((authorization ?? '').slice('Bearer '.length));
  return token?.isValid === true && token.scopes.has('listings:read');
}

createServer((request, response) => {
  if (request.url !== '/checked') return handle(request, response);
  isGood(request.headers.authorization).then(
    (good) => response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' }).end(body),
    () => response.writeHead(500).end(),
  );
}).listen(listening, '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
