// Long run of the guards: revocations, months over killed processes, floods of addresses, rebound names.

import { runTrials } from '../../support/chaos/table.ts';
import { type Closing, testDatabase } from '../../support/database/database.ts';
import { guessAtConsent } from '../../support/guard/consent.ts';
import { floodAddresses } from '../../support/guard/memory.ts';
import { spendMonth } from '../../support/guard/month.ts';
import { runRevocations } from '../../support/guard/revocation.ts';
import { tryRebinding } from '../../support/oauth/rebinding.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const SEED = Number(process.argv[2] ?? Date.now() % 1_000_000);

await runTrials([
  async (closing) => {
    const { database } = await testDatabase(closing);
    const { longest, wrong, requests } = await runRevocations(closing, database, { keys: 300, seed: SEED });
    return {
      promise: 'R12',
      tried: `300 keys, two services, ${requests} requests, seed ${SEED}`,
      figure: `let in for ${(longest / 1_000).toFixed(3)} s at most; ${wrong.length} wrong answers`,
      passed: longest <= 600_000 && wrong.length === 0,
    };
  },
  async (closing) => {
    const result = await spendMonth(closing, { month: 3_000, rounds: 8, seed: SEED });
    const { month, admitted, used, kills, block, unknown } = result;
    return {
      promise: 'R35',
      tried: `a month of ${month}, two processes at a time, ${kills} killed, seed ${SEED}`,
      figure: `${admitted} admitted, ${month - admitted} lost (${kills} blocks of ${block}, ${unknown} unknown)`,
      passed: admitted <= month && used === month && month - admitted <= kills * block + unknown,
    };
  },
  async (closing) => {
    const { database } = await testDatabase(closing);
    const result = await floodAddresses(database, { addresses: 10_000_000, pace: 20_000 });
    return {
      promise: 'R36',
      tried: '10 million addresses, 20,000 a second',
      figure: `${result.megabytes} MB; ${result.freed} freed, ${result.harmed} subscribers refused`,
      passed: result.megabytes < 150 && result.freed === 0 && result.harmed === 0,
    };
  },
  async (closing) => {
    const { lookups, hits, others, onePerConnection, answered, refused } = await tryRebinding(
      closing,
      10_000,
    );
    return {
      promise: 'R28',
      tried: `${lookups} lookups of names that change their answers`,
      figure: `${hits} connections inwards; ${answered} answered, ${refused} refused, ${others.length} otherwise`,
      passed: hits === 0 && others.length === 0 && onePerConnection,
    };
  },
  ...[1, 1_000].map((addresses) => async (closing: Closing) => {
    const provider = stubProvider();
    const environment = { TRUSTED_PROXIES: '127.0.0.1' };
    const service = await startService(closing, { overrides: { provider }, environment });
    const guesses = 10_000;
    const result = await guessAtConsent(service, provider, { guesses, addresses });
    const { wrong, good, newcomer, questions, later } = result;
    const harmed =
      guesses / 100 - (good[303] ?? 0) + [newcomer, later].filter((status) => status !== 303).length;
    return {
      promise: 'R33',
      tried: `${guesses} wrong keys at the consent page, ${addresses} addresses`,
      figure: `${questions} questions, ${harmed} good keys refused; ${JSON.stringify(wrong)}`,
      passed: questions <= Math.min(10 * addresses, 6_000) && harmed === 0 && wrong[303] === undefined,
    };
  }),
]);
process.exit();
