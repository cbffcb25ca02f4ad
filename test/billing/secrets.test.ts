// Proves that webhook secrets and credentials of payment services are readable nowhere, whatever goes wrong.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createLog } from '../../src/lib/log.ts';
import { startEchoServer } from '../support/billing/echo-server.ts';
import { MANY_CALLS } from '../support/billing/paying-service.ts';
import {
  deliver,
  ORGANIZATION,
  POLAR_SETTINGS,
  polarEvent,
  STRIPE_SETTINGS,
  stripeEvent,
} from '../support/billing/signed-events.ts';
import { endPauses, eventStates } from '../support/billing/stored-events.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { copyTables } from '../support/database/table-copy.ts';
import { Canaries, canaryKey, canaryToken } from '../support/fuzz/canaries.ts';
import { runCommand } from '../support/process/cli.ts';
import { startService } from '../support/service/service.ts';

/** Secrets of Polar and Stripe in the forms that they have, and the settings that hold them. */
const providers = {
  polar: () => {
    const [secret, old] = [`whsec_${randomBytes(32).toString('base64')}`, `polar_whs_${canaryToken()}`];
    const token = `polar_oat_${canaryToken()}`;
    const settings = {
      ...POLAR_SETTINGS,
      POLAR_WEBHOOK_SECRET: `${secret},${old}`,
      POLAR_ACCESS_TOKEN: token,
    };
    return { secrets: [secret, old], token, settings, api: 'POLAR_API_URL' };
  },
  stripe: () => {
    const [secret, old] = [`whsec_${canaryToken()}`, `whsec_${canaryToken()}`];
    const token = `rk_test_${canaryToken()}`;
    const settings = {
      ...STRIPE_SETTINGS,
      STRIPE_WEBHOOK_SECRET: `${secret},${old}`,
      STRIPE_SECRET_KEY: token,
    };
    return { secrets: [secret, old], token, settings, api: 'STRIPE_API_URL' };
  },
} as const;

for (const provider of ['polar', 'stripe'] as const) {
  test(`no secret of ${provider} stands in a table, the log, an answer, a metric or the output of a command`, async (t) => {
    const { secrets, token, settings, api } = providers[provider]();
    const canaries = new Canaries();
    canaries.watch('the credentials', token);
    for (const [at, secret] of secrets.entries()) {
      canaries.watch(`secret ${at}`, secret);
      const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
      canaries.watch(`secret ${at}, its bytes in hexadecimal`, bytes.toString('hex'));
    }
    const echo = await startEchoServer(t, [500, 401, 200, 403, 302, 429, 502, 503]);
    const written: Buffer[] = [];
    const sink = new PassThrough().on('data', (chunk: Buffer) => written.push(chunk));
    const environment = { ...settings, [api]: echo.url };
    const service = await startService(t, {
      environment,
      overrides: { callLimits: MANY_CALLS },
      log: createLog({ level: 'trace', stream: sink }),
    });
    const seen: string[] = [];
    const send = async (answer: Promise<Response>) => {
      const { status, headers } = await answer;
      seen.push(JSON.stringify([...headers]), await (await answer).text());
      return status;
    };
    const at = service.clock.now();
    const event = (secret?: string) =>
      provider === 'polar'
        ? polarEvent('customer.state_changed', { id: ORGANIZATION }, { at, ...(secret && { secret }) })
        : stripeEvent(
            'customer.subscription.updated',
            { id: 'sub_canary' },
            { at, ...(secret && { secret }) },
          );
    for (const secret of secrets) assert.equal(await send(deliver(service, event(secret))), 200);
    assert.equal(await send(deliver(service, event())), 400);
    // Secrets where they do not belong: in the signature, the body, the query and the path.
    for (const secret of [...secrets, token]) {
      const headers = {
        'stripe-signature': `t=1,v1=${secret}`,
        'webhook-signature': `v1,${secret}`,
        authorization: `Bearer ${secret}`,
      };
      assert.equal(await send(deliver(service, event(), { headers })), 400);
      await send(deliver(service, event(), { body: JSON.stringify({ secret, token }) }));
      await send(
        service.get(`/billing/webhooks/${provider}?secret=${encodeURIComponent(secret)}&token=${token}`),
      );
      await send(
        fetch(`${service.url}/billing/webhooks/other?webhook_secret=${encodeURIComponent(secret)}`, {
          method: 'POST',
        }),
      );
    }
    await send(service.get('/v1/usage', canaries.watch('the key', canaryKey())));
    await until('the service was asked in vain, often', async () => {
      await endPauses(service.database);
      service.clock.advance(1_000);
      return echo.calls >= 12 && (await eventStates(service.database)).every(({ error }) => error !== null);
    });
    await send(service.get('/metrics'));
    const folder = await temporaryFolder(t, 'canaries');
    const run = async (...args: string[]) => {
      const { stdout, stderr } = await runCommand(args, {
        folder,
        environment: { ...environment, DATABASE_URL: service.databaseUrl, LOG_LEVEL: 'debug' },
      });
      seen.push(stdout, stderr);
      return stdout + stderr;
    };
    assert.match(await run('billing', 'events'), /customer\./);
    assert.match(await run('billing', 'events', '--json'), /"lastError": "[^"]/);
    assert.match(await run('billing', 'status', '--json'), /"provider"/);
    assert.match(await run('billing', 'status'), /credentials/i);
    // Polar is asked again and again, for half a minute.
    if (provider === 'stripe') assert.match(await run('billing', 'sync'), /gave no answer/);
    assert.match(await run('doctor', '--json'), /billing events/);
    const broken = await runCommand(['billing', 'events'], {
      folder,
      environment: {
        ...environment,
        BILLING_GRACE_DAYS: 'x',
        [`${provider.toUpperCase()}_WEBHOOK_SECRET`]: `${secrets.join(',')},short`,
      },
    });
    assert.match(broken.stderr, /_WEBHOOK_SECRET/);
    seen.push(broken.stdout, broken.stderr);
    assert.deepEqual(canaries.in(seen.join('\n')), []);
    const copy = await copyTables(service.database);
    assert.match(copy, /customer\.(?:state_changed|subscription)/, 'the tables are there');
    assert.deepEqual(canaries.in(copy), []);
    const log = Buffer.concat(written).toString();
    assert.match(log, /\/billing\/webhooks/, 'the log tells of the requests');
    assert.deepEqual(canaries.in(log), []);
  });
}
