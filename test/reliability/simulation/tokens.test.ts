// Proof that every process refuses a revoked access token within five seconds, in simulated worlds of late and lost notifications,
// connections that break or fall silent, transactions that are committed late, and clocks that differ.
// SIM_RUNS: histories; SIM_SEED: of the first; SIM_NODES: most processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CredentialAttempt } from '../../../src/access/limits/failure-throttle.ts';
import { Problem } from '../../../src/lib/problem.ts';
import { hashSecret } from '../../../src/lib/secrets.ts';
import { REVOCATIONS_CHANNEL } from '../../../src/oauth/consents/grant-store.ts';
import { createSecret } from '../../../src/oauth/protocol/tokens.ts';
import { AccessTokens } from '../../../src/oauth/token/access-tokens.ts';
import {
  type ModelStatement,
  NotifyingDatabase,
  type NotifyingLink,
} from '../../support/simulation/notifying-database.ts';
import { repeat, suffer } from '../../support/simulation/troubles.ts';
import { World } from '../../support/simulation/world.ts';

const RUNS = Number(process.env.SIM_RUNS ?? 6);
const SEED = Number(process.env.SIM_SEED ?? 1);
const NODES = Number(process.env.SIM_NODES ?? 6);
/** Milliseconds of a history of few processes; of many it is shorter. */
const LENGTH = 300_000;
const TOKENS = 5;
/** Milliseconds after which no revoked token is accepted, as decision 0008 promises. */
const BOUND = 5_000;
/** Milliseconds for which a revocation waits at most for the end of its transaction. */
const TRANSACTION = 20_000;
const PUBLIC_URL = 'https://simulated.example';

interface Token {
  readonly secret: string;
  readonly hash: string;
  readonly grant: number;
  /** When its revocation was committed; null: it is good. */
  revokedAt: number | null;
}

/** The tables of tokens and revocations as the statements of a process read them. */
class TokenModel {
  readonly #world: World;
  readonly #tokens: Token[] = [];
  /** `at`: when it was written; it is read from its commit on. */
  readonly #revocations: { readonly at: number; readonly revocation: string }[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  issue(): Token {
    const secret = createSecret('at');
    const token: Token = {
      secret,
      hash: hashSecret(secret),
      grant: this.#tokens.length + 1,
      revokedAt: null,
    };
    this.#tokens.push(token);
    return token;
  }

  /** A transaction that revokes a token alone, or its grant: the revocation, of which everybody is notified, once it is committed. */
  async revoke(token: Token, onCommitting: () => void): Promise<string> {
    const world = this.#world;
    const at = world.now;
    await world.pause(world.between(0, world.pick([50, TRANSACTION])));
    onCommitting();
    await world.pause(world.between(0, 500));
    token.revokedAt = world.now;
    const revocation = world.random() < 0.5 ? `token:${token.hash}` : `grant:${token.grant}`;
    this.#revocations.push({ at, revocation });
    return revocation;
  }

  readonly execute = ({ text, values }: ModelStatement): readonly unknown[] => {
    const { now } = this.#world;
    const [value = null] = values;
    if (text.includes('from oauth_revocation')) {
      const since = value === null ? Number.POSITIVE_INFINITY : Number(value) - 60_000;
      const found = this.#revocations.filter(({ at }) => at > since);
      return [{ at: String(now), revocations: found.map(({ revocation }) => revocation) }];
    }
    if (!text.includes('from oauth_access_token'))
      throw new Error(`The model knows no such statement: ${text}`);
    return this.#tokens
      .filter(({ hash, revokedAt }) => hash === value && revokedAt === null)
      .map(({ grant }) => ({
        grant,
        clientId: 'client',
        tier: 'pro',
        scope: 'listings:read',
        resources: [PUBLIC_URL],
        subscription: `sub-${grant}`,
        customer: null,
        addressHash: null,
        expiresAt: '2027-01-01T00:00:00Z',
        revokedAt: null,
      }));
  };
}

async function runHistory(seed: number, nodes: number) {
  const world = new World(seed);
  const model = new TokenModel(world);
  const database = new NotifyingDatabase(world, model.execute);
  const tokens = Array.from({ length: TOKENS }, () => model.issue());
  const faults: string[] = [];
  const processes: ((token: Token) => Promise<void>)[] = [];
  let [answers, longest] = [0, 0];

  repeat(world, 500, 6_000, () => {
    const token = model.issue();
    tokens[Math.floor(world.between(0, TOKENS))] = token;
    world.after(world.between(0, 20_000), async () => {
      // Somebody looks it up just then, which is good for a moment longer.
      const revocation = await model.revoke(token, () => void world.pick(processes)(token));
      database.notify(REVOCATIONS_CHANNEL, revocation);
    });
  });

  const attempt = { begin: async () => {} } as unknown as CredentialAttempt;
  const ask = async (verifier: AccessTokens, known: ReadonlySet<string>, token: Token): Promise<void> => {
    const { secret, hash, grant, revokedAt } = token;
    const sent = world.now;
    const isKnown = known.has(`token:${hash}`) || known.has(`grant:${grant}`);
    const isAccepted = await Promise.try(() => verifier.verify(secret, attempt)).then(
      () => true,
      (error: unknown) => {
        // While the database cannot be reached nobody is told whether it is good.
        if (error instanceof Problem && error.code === 'INVALID_TOKEN') return false;
        return null;
      },
    );
    if (isAccepted === null) return;
    answers++;
    if (!isAccepted && revokedAt === null && token.revokedAt === null)
      faults.push(`at ${sent.toFixed(0)} a good token was refused`);
    if (!isAccepted || revokedAt === null) return;
    const late = sent - revokedAt;
    longest = Math.max(longest, late);
    if (isKnown) faults.push(`at ${sent.toFixed(0)} accepted although its revocation was known`);
    if (late > BOUND)
      faults.push(`at ${sent.toFixed(0)} accepted ${late.toFixed(0)} ms after its revocation`);
  };

  for (let node = 0; node < nodes; node++) {
    const link: NotifyingLink = {
      state: 'open',
      delay: world.pick([30, 400, 1_400]),
      notified: 300,
      loss: 0.3,
    };
    const clock = world.clock(world.between(-30_000, 30_000), () => true);
    const verifier = new AccessTokens({
      database: database.reach(link, clock),
      clock,
      report: () => {},
      publicUrl: PUBLIC_URL,
    });
    const known = new Set<string>();
    verifier.onRevoked((revocation) => known.add(revocation));
    suffer(world, database, link);
    const request = (token: Token) => ask(verifier, known, token);
    processes.push(request);
    repeat(world, 0, 500, () => void request(world.pick(tokens)));
  }
  await world.run(LENGTH * Math.min(1, 10 / nodes));
  return { faults, answers, longest };
}

for (let run = 0; run < RUNS; run++) {
  const seed = SEED + run;
  const nodes = 2 + (seed % (NODES - 1));
  test(`history ${seed}: ${nodes} processes, and revocations that some are not notified of`, async (t) => {
    const { faults, answers, longest } = await runHistory(seed, nodes);
    assert.deepEqual(faults.slice(0, 5), [], `SIM_SEED=${seed}: ${faults.length} faults`);
    assert.ok(longest > 0, 'some tokens are accepted after their revocation');
    t.diagnostic(
      `${answers} answers; the latest that accepted a revoked token ${(longest / 1_000).toFixed(1)} s later`,
    );
  });
}
