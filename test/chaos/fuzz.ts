// Owns the long run of hostile input: a hundred thousand bent requests, and a thousand connections that drip.

import type { Closing } from '../support/database.ts';
import { fuzz, fuzzOAuth } from '../support/fuzz-run.ts';
import { startFuzzService } from '../support/fuzz-service.ts';
import { dripOn } from '../support/fuzz-slow.ts';
import { runTrials } from '../support/fuzz-table.ts';

const CASES = Number(process.argv[2] ?? 100_000);
const SEED = Number(process.argv[3] ?? Date.now() % 1_000_000);
const SHORT = { headersTimeoutMs: 600, requestTimeoutMs: 800, keepAliveTimeoutMs: 500, checkIntervalMs: 50 };
/** As fast as Node can be expected to cut after the ten seconds that a request may take. */
const LONGEST_LIFE = 12_000;

await runTrials([
  ...[fuzz, fuzzOAuth].map((run) => async (closing: Closing) => {
    const service = await startFuzzService(closing, SHORT);
    const before = await service.fared();
    await run(service, { cases: 500, seed: 1, patience: 30_000 });
    await service.fared();
    const cases = run === fuzz ? CASES : Math.ceil(CASES / 4);
    const { statuses, wrong } = await run(service, { cases, seed: SEED, patience: 30_000 });
    const { longestTurn, longestDelay, prototypes, errors, heapMegabytes } = await service.fared();
    for (const each of wrong.slice(0, 20)) console.error(each);
    for (const line of errors.slice(0, 20)) console.error(line);
    const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
    const faults = wrong.length + errors.length;
    const where = run === fuzz ? 'requests' : 'requests to the authorization server';
    return [
      {
        ...{ promise: 'R23', tried: `${cases} ${where}, seed ${SEED}`, kept: faults === 0 },
        figure: `${faults} faults; ${answers.join(', ')}`,
      },
      {
        ...{ promise: 'R37', tried: 'event loop and prototypes meanwhile' },
        figure: `${longestTurn.toFixed(1)} ms in one turn, ${longestDelay} ms late, ${heapMegabytes} MB`,
        kept: longestTurn < 50 && prototypes === before.prototypes,
      },
    ];
  }),
  async (closing) => {
    const { port } = await startFuzzService(closing);
    const { longest, uncut, honest, p99 } = await dripOn({
      port,
      connections: 1_000,
      pause: 500,
      patience: 30_000,
    });
    const served = Object.keys(honest).every((status) => status === '200');
    return {
      ...{ promise: 'R22', tried: '1000 connections that drip, limits as shipped' },
      figure: `cut after ${longest} ms, ${uncut} not; honest p99 ${p99.alone} -> ${p99.meanwhile} ms`,
      kept: uncut === 0 && longest <= LONGEST_LIFE && served,
    };
  },
]);
process.exit();
