// Long run of hostile input: a hundred thousand bent requests, and a thousand connections that drip.

import { runTrials } from '../../support/chaos/table.ts';
import type { Closing } from '../../support/database/database.ts';
import { HOSTILE_BODIES, requestOf } from '../../support/fuzz/bodies.ts';
import { fuzz, fuzzOAuth } from '../../support/fuzz/run.ts';
import { sendBytes, startFuzzService } from '../../support/fuzz/service.ts';
import { dripOn } from '../../support/fuzz/slow-clients.ts';

const CASES = Number(process.argv[2] ?? 100_000);
const SEED = Number(process.argv[3] ?? Date.now() % 1_000_000);
const SHORT = { headersTimeoutMs: 600, requestTimeoutMs: 800, keepAliveTimeoutMs: 500, checkIntervalMs: 50 };
/** As fast as Node can be expected to cut after the ten seconds that a request may take. */
const LONGEST_LIFE = 12_000;
/** Milliseconds of processor that one turn of the event loop may take, whatever is sent. */
const LONGEST_TURN = 20;
/** How often each hostile body is sent, so that code that is not compiled yet is not what is measured. */
const TIMES = 5;

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
        promise: 'R23',
        tried: `${cases} ${where}, seed ${SEED}`,
        passed: faults === 0,
        figure: `${faults} faults; ${answers.join(', ')}`,
      },
      {
        promise: 'R37',
        tried: 'event loop and prototypes meanwhile',
        figure: `${longestTurn.toFixed(1)} ms in one turn, ${longestDelay} ms late, ${heapMegabytes} MB`,
        passed: longestTurn <= LONGEST_TURN && prototypes === before.prototypes,
      },
    ];
  }),
  async (closing) => {
    const service = await startFuzzService(closing);
    let [worst, longest, failed] = ['', 0, 0];
    for (let time = 0; time < TIMES; time++) {
      longest = 0;
      for (const each of HOSTILE_BODIES) {
        const key = each.path.startsWith('/v1/') ? service.key : null;
        await service.fared();
        const { statuses, hung } = await sendBytes(service.port, requestOf(each, key), true, 30_000);
        const { longestTurn } = await service.fared();
        if (hung || statuses.some((status) => status >= 500)) failed++;
        if (longestTurn > longest) [longest, worst] = [longestTurn, each.body.slice(0, 60)];
      }
    }
    return {
      promise: 'R37',
      tried: `${HOSTILE_BODIES.length} bodies made to be expensive, ${TIMES} times`,
      figure: `${failed} faults; ${longest.toFixed(1)} ms in one turn at last, by ${worst}`,
      passed: failed === 0 && longest <= LONGEST_TURN,
    };
  },
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
      promise: 'R22',
      tried: '1000 connections that drip, limits as shipped',
      figure: `cut after ${longest} ms, ${uncut} not; honest p99 ${p99.alone} -> ${p99.meanwhile} ms`,
      passed: uncut === 0 && longest <= LONGEST_LIFE && served,
    };
  },
]);
process.exit();
