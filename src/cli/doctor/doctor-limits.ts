// Check of `freehold doctor` of the server that counts limits for all processes. Does not throw.

import { probeServer } from '../../access/limits/shared/probe-server.ts';
import { reasonOf } from '../../access/limits/shared/reason.ts';
import { UnsuitableServer } from '../../access/limits/shared/suitable-server.ts';
import type { Config } from '../../config.ts';
import { type Finding, fail, ok, warn } from './doctor-checks.ts';

const NAME = 'limits';
/** Milliseconds of a round trip: each limited request waits for one. */
const MAX_ROUND_TRIP = 5;

export async function checkLimits({ limitsUrl }: Pick<Config, 'limitsUrl'>): Promise<Finding[]> {
  if (limitsUrl === null) return [];
  try {
    const { facts, roundTrip } = await probeServer(limitsUrl);
    const kind = facts.kind === 'valkey' ? 'Valkey' : 'Redis';
    const server = `${kind} ${facts.version}${facts.isCluster ? ', a cluster' : ''}`;
    const policy = facts.policy === null ? '' : `, maxmemory-policy ${facts.policy}`;
    const found = `${server}${policy}, ${roundTrip.toFixed(1)} ms a round trip`;
    if (roundTrip <= MAX_ROUND_TRIP) return [ok(NAME, found)];
    return [
      warn(
        NAME,
        found,
        'Each limited request waits for one: put the server of LIMITS_URL near, or give it more processor.',
      ),
    ];
  } catch (error) {
    const remedy =
      error instanceof UnsuitableServer
        ? 'Until then `freehold serve` refuses to start with this LIMITS_URL.'
        : 'Check LIMITS_URL, and that the server runs and lets this machine and user in. Until then each process admits its share.';
    return [fail(NAME, reasonOf(error), remedy)];
  }
}
