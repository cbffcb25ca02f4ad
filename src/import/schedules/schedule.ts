// Schedules of imports: how often, what they are sealed with, and how they are described.

import { formatTime } from '../../lib/clock.ts';
import type { Keyring } from '../../lib/keyring.ts';
import type { ImportIdentity } from '../checkpoint-store.ts';
import type { Schedule } from './schedule-store.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };
const MIN_SECONDS = 5 * 60;
const MAX_SECONDS = 31 * 86_400;

/** Seconds of `30m`, `1h` or `1d`. Throws a RangeError whose message is the rest of a sentence. */
export function parseEvery(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (UNITS[unit] ?? 0);
  if (digits === '' || seconds < MIN_SECONDS || seconds > MAX_SECONDS)
    throw new RangeError('must be minutes, hours or days from 5m to 31d, such as 30m, 1h or 1d');
  return seconds;
}

export function everyText(seconds: number): string {
  const unit = seconds % 86_400 === 0 ? 'd' : seconds % 3_600 === 0 ? 'h' : 'm';
  return `${seconds / (UNITS[unit] ?? 60)}${unit}`;
}

/** Seconds after which a run that failed is tried again, where the schedule itself is not sooner. */
const RETRY_SECONDS = 3_600;

/** When the next run begins. */
export const nextRun = (now: number, everySeconds: number, hasFailed: boolean): Date =>
  new Date(now + (hasFailed ? Math.min(everySeconds, RETRY_SECONDS) : everySeconds) * 1_000);

const contextOf = ({ kind, source }: ImportIdentity): string => `import schedule of ${kind} of ${source}`;

export const sealUrl = (keyring: Keyring, identity: ImportIdentity, url: string): Buffer =>
  keyring.seal(Buffer.from(url), contextOf(identity));

/** Throws CannotOpen. */
export const openUrl = (
  keyring: Keyring,
  schedule: Pick<Schedule, 'kind' | 'source' | 'urlSealed'>,
): string => keyring.open(schedule.urlSealed, contextOf(schedule)).toString('utf8');

/** Those that failed last time, as sentences. */
export const failuresText = (schedules: readonly Schedule[]): readonly string[] =>
  schedules.flatMap(({ kind, source, failure, failures, succeededAt }) => {
    if (failure === null) return [];
    const since =
      succeededAt === null
        ? 'it has never succeeded'
        : `the last success was at ${formatTime(Date.parse(succeededAt))}`;
    return [
      `${kind} of ${source}: ${failure} (failed ${failures === 1 ? 'once' : `${failures} times`}; ${since})`,
    ];
  });
