// Our check of an access token behind node:http alone.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createAccess } from '../../src/access/access.ts';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { TIERS } from '../../src/access/tiers/tiers.ts';
import { systemClock as clock } from '../../src/lib/clock.ts';
import { AccessTokens } from '../../src/oauth/token/access-tokens.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';

const listening = Number(process.env.PORT);
const publicUrl = `http://127.0.0.1:${listening}`;
const database = openDatabase({ url: process.env.DATABASE_URL ?? '' });
const report = (error: unknown) => process.stderr.write(`${String(error)}\n`);
const tokens = new AccessTokens({ database, clock, publicUrl, report });
const { provider } = createLocalSubscriptions(database, clock);
const { phases } = createAccess({
  database,
  clock,
  provider,
  report,
  tiers: TIERS,
  verifiers: [tokens],
});
const ACCESS = { credentials: 'required', scope: 'listings:read', counts: 'minute' } as const;
const body = process.env.BODY ?? '{}';

/** Throws where the caller may not ask. */
async function check({ headers, socket }: IncomingMessage): Promise<void> {
  const address = socket.remoteAddress ?? '';
  const caller = await phases.identify({ headers, address }, ACCESS);
  const refusal = phases.allow(caller, ACCESS);
  if (refusal !== null) throw refusal;
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

createServer((request, response) => {
  if (request.url !== '/checked') return answer(response, 200);
  check(request).then(
    () => answer(response, 200),
    () => answer(response, 401),
  );
}).listen(listening, '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
