// Walk over every route with every kind of caller: the documented answer against the actual one.

import assert from 'node:assert/strict';
import type { Scope, Tier } from '../../../src/access/tiers/tiers.ts';

/** What the documentation says about a route. */
export interface Documented {
  /** The lowest caller that may use it. */
  readonly tier: Tier;
  /** What a token must have been granted. */
  readonly scope?: Scope;
}

/** Somebody who calls: with nothing, with a key (scopes null), or with a token that holds some scopes. */
export interface Caller {
  readonly tier: Tier;
  readonly scopes: readonly Scope[] | null;
  readonly authorization: string | null;
}

export interface Answered {
  readonly status: number;
  /** The problem's code, where the answer is one. */
  readonly code: string | null;
  readonly challenge: string | null;
}

const LADDER: readonly Tier[] = ['anonymous', 'free', 'pro', 'business', 'internal'];

/** The code that a caller has to be refused with; null: it has to be let in. */
function expectedRefusal(route: Documented, caller: Caller): string | null {
  if (route.tier !== 'anonymous' && caller.authorization === null) return 'MISSING_API_KEY';
  if (LADDER.indexOf(caller.tier) < LADDER.indexOf(route.tier)) return 'TIER_RESTRICTED';
  if (route.scope === undefined || caller.scopes === null || caller.authorization === null) return null;
  return caller.scopes.includes(route.scope) ? null : 'INSUFFICIENT_SCOPE';
}

/**
 * Sends every caller to every documented route. A refusal must have the documented code and the challenge that goes
 * with it; who is let in may get any answer that is no refusal. `send` is given the route's name as documented.
 */
export async function walkMatrix(
  documented: Readonly<Record<string, Documented>>,
  callers: readonly Caller[],
  send: (route: string, caller: Caller) => Promise<Answered>,
): Promise<void> {
  for (const [name, route] of Object.entries(documented)) {
    for (const caller of callers) {
      const who = `${name} by ${caller.tier}${caller.scopes === null ? '' : ` with [${caller.scopes.join(' ')}]`}`;
      const expected = expectedRefusal(route, caller);
      const answer = await send(name, caller);
      if (expected === null) assert.ok(![401, 403, 429].includes(answer.status), `${who}: ${answer.code}`);
      else assert.equal(answer.code, expected, who);
      assert.equal(
        challengeKind(answer.challenge),
        CHALLENGES[expected ?? ''] ?? null,
        `${who}: ${answer.challenge}`,
      );
    }
  }
}

/** Which errors a challenge names for each refusal; a tier is nothing that a token could be granted. */
const CHALLENGES: Readonly<Record<string, string>> = {
  MISSING_API_KEY: 'Bearer',
  INSUFFICIENT_SCOPE: 'Bearer insufficient_scope',
};

function challengeKind(challenge: string | null): string | null {
  if (challenge === null) return null;
  const [, error] = /error="(\w+)"/.exec(challenge) ?? [];
  return error === undefined ? 'Bearer' : `Bearer ${error}`;
}
