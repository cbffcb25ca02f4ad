// Rounds of sudden ends: the service under load loses a process, comes back by itself, and its data are examined.

import { monthOf } from '../../../src/access/limits/monthly-quota.ts';
import { findUsed } from '../../../src/access/limits/monthly-usage-store.ts';
import { findSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import { keepAlive, pause, systemClock } from '../../../src/lib/clock.ts';
import { createRandom, type Random } from '../check/random.ts';
import { until } from '../check/until.ts';
import type { Closing } from '../database/database.ts';
import { type Stage, setStage } from './crash-stage.ts';
import { examine, type Findings } from './ledger.ts';
import { endProcess, familyOf, isReady, postmasterOf, type RunningProcess, survivors } from './service.ts';

/**
 * What ends. service, postmaster, backend: by SIGKILL. immediate: PostgreSQL's own immediate shutdown. both: service
 * and postmaster at once. starting: the service, and then the one that is started after it while it starts.
 */
export const CRASHES = ['service', 'postmaster', 'immediate', 'both', 'backend', 'starting'] as const;
export type Crash = (typeof CRASHES)[number];

export interface Outcome extends Findings {
  readonly crash: Crash;
  readonly acknowledged: number;
  /** Subscriptions that a command said to have made and that are not there. */
  readonly lostKeys: number;
  /** Requests answered with 200 that the month does not count. */
  readonly uncounted: number;
  /** Processes of before the crash that still run half a minute after it. */
  readonly orphans: number;
  /** Answers that were neither right nor an honest 503, and errors of writers that were not. */
  readonly wrong: number;
  /** From the crash until the service was ready and a write was confirmed. */
  readonly seconds: number;
}

export interface RoundsOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Told of each round as it ends. */
  readonly tell: (outcome: Outcome) => void;
  /** Told in words of what went wrong. */
  readonly complain: (what: string) => void;
}

/** In one of so many rounds a command makes a key while the crash happens. */
const COMMAND_EVERY = 4;
/** Milliseconds of load before a crash, and into a start. */
const LONGEST_LOAD = 400;
const LONGEST_START = 900;

/** Plays that many rounds on one data directory; what happens last is a stop in good order. */
export async function playRounds(t: Closing, options: RoundsOptions): Promise<void> {
  const random = createRandom(options.seed);
  const stage = await setStage(t);
  for (let round = 0; round < options.rounds; round++) {
    const crash = CRASHES[round % CRASHES.length] ?? 'service';
    options.tell(await playRound(stage, crash, round % COMMAND_EVERY === 1, random, options.complain));
  }
  await stage.rest();
  await endInOrder(stage, options);
}

async function playRound(
  stage: Stage,
  crash: Crash,
  withCommand: boolean,
  random: Random,
  complain: (what: string) => void,
): Promise<Outcome> {
  const { ledger, readers } = stage;
  const from = ledger.acknowledged.length;
  const before = { wrong: readers.wrong.length, faults: ledger.faults.length };
  await until('writes are confirmed', async () => ledger.acknowledged.length > from);
  const command = withCommand ? stage.createKey() : undefined;
  await keepAlive(() => pause(systemClock, random.next() * LONGEST_LOAD));
  const family = await familyOf(stage.service.pid);
  const begun = systemClock.monotonic();
  const ended = await strike(stage, crash, family, random);
  await recover(stage);
  const seconds = (systemClock.monotonic() - begun) / 1_000;
  const key = await command;
  if (key !== undefined) stage.keys.push(key);
  const orphans = await survivors(family.filter(({ pid, command: name }) => ended(pid, name)));
  for (const { pid, command: name } of orphans) complain(`${crash}: process ${pid} still runs: ${name}`);
  const findings = await judge(stage, from);
  // Readers ask while it is judged, too.
  for (const text of readers.wrong.slice(before.wrong)) complain(`${crash}: answered ${text}`);
  for (const error of ledger.faults.slice(before.faults)) complain(`${crash}: a writer met ${String(error)}`);
  return {
    crash,
    seconds,
    orphans: orphans.length,
    acknowledged: ledger.acknowledged.length - from,
    ...findings,
    wrong: readers.wrong.length - before.wrong + (ledger.faults.length - before.faults),
  };
}

/** Lets it happen; tells which processes must be gone after it. */
async function strike(
  stage: Stage,
  crash: Crash,
  family: readonly RunningProcess[],
  random: Random,
): Promise<(pid: number, command: string) => boolean> {
  const postmaster = (await postmasterOf(stage.dataDirectory))?.pid ?? 0;
  if (postmaster === 0) throw new Error('There is no PostgreSQL server to end');
  const all = () => true;
  const server = (pid: number) => pid !== stage.service.pid;
  if (crash === 'backend') {
    const backends = family.filter(({ command }) => /^postgres: .*(?:service|\[local\])/.test(command));
    const victim = backends[Math.floor(random.next() * backends.length)];
    endProcess(victim?.pid ?? postmaster, 'SIGKILL');
    return (pid) => pid === victim?.pid;
  }
  if (crash === 'postmaster' || crash === 'immediate') {
    endProcess(postmaster, crash === 'immediate' ? 'SIGQUIT' : 'SIGKILL');
    return server;
  }
  stage.readers.away = true;
  if (crash === 'both') endProcess(postmaster, 'SIGKILL');
  await restart(stage);
  if (crash === 'starting') {
    await keepAlive(() => pause(systemClock, random.next() * LONGEST_START));
    await restart(stage);
  }
  return all;
}

async function restart(stage: Stage): Promise<void> {
  stage.service.kill('SIGKILL');
  await stage.service.ended;
  stage.service = stage.start();
}

/** Ready, and a batch is confirmed that was begun after that. */
async function recover({ url, ledger, readers, service }: Stage): Promise<void> {
  const ready = async () => {
    if (!service.running()) throw new Error(`The service does not start:\n${service.output()}`);
    return isReady(url);
  };
  await until('the service is ready again', ready);
  const from = ledger.acknowledged.length;
  // Each writer may have had one batch under way.
  await until('writes are confirmed again', async () => ledger.acknowledged.length > from + 6);
  readers.away = false;
}

async function judge(stage: Stage, from: number) {
  const { database, readers, account, keys } = stage;
  // A busy machine may notice a killed backend, and restart the server, only after writes were confirmed.
  await until('the database answers', () =>
    database
      .read((sql) => sql`select`)
      .then(
        () => true,
        () => false,
      ),
  );
  // Read first: what is answered while we ask may be counted later.
  const { counted } = readers;
  const used = await database.read((sql) => findUsed(sql, account, monthOf(systemClock.now()).name));
  const ids = keys.map(({ id }) => id);
  const found = await database.read((sql) => findSubscriptions(sql, ids));
  return {
    ...(await examine(database, stage.ledger, from)),
    uncounted: Math.max(0, counted - used),
    lostKeys: found.filter((row) => row === undefined).length,
  };
}

/** Everything from the first round on is looked at once more; then nothing may be left. */
async function endInOrder(stage: Stage, { tell, complain }: RoundsOptions): Promise<void> {
  const begun = systemClock.monotonic();
  const findings = await judge(stage, 0);
  const family = await familyOf(stage.service.pid);
  stage.readers.away = true;
  stage.service.kill('SIGTERM');
  const code = await stage.service.ended;
  if (code !== 0) complain(`SIGTERM: exit code ${code}`);
  const orphans = await survivors(family);
  if ((await postmasterOf(stage.dataDirectory)) !== undefined)
    complain('SIGTERM: PostgreSQL still holds its lock');
  const seconds = (systemClock.monotonic() - begun) / 1_000;
  tell({
    crash: 'service',
    acknowledged: 0,
    orphans: orphans.length,
    ...findings,
    seconds,
    wrong: code === 0 ? 0 : 1,
  });
}
