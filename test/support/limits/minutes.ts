// What callers were admitted in any minute, and which minutes hold a loss of the server that counts: for judging long runs.

import type { ToldStatus } from './counting-services.ts';

/** An admitted request. Times are milliseconds of the machine's clock. */
export interface Admission {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** From the beginning of a loss until all processes know of it. */
export interface Loss {
  readonly from: number;
  readonly to: number;
}

const MINUTE = 60_000;
/** Milliseconds for which calls may have had no answer before a process says that it has lost the server. */
const UNNOTICED = 1_000;

/** The most that any 60 seconds certainly hold: from the sending of the first request to the answer of the last one. */
export function mostInAMinute(admitted: readonly Admission[]): number {
  let [most, first] = [0, 0];
  for (const [last, { answeredAt }] of admitted.entries()) {
    while ((admitted[first]?.sentAt ?? 0) <= answeredAt - MINUTE) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** The same of minutes that hold no part of any loss. */
export function mostOutside(admitted: readonly Admission[], losses: readonly Loss[]): number {
  const ordered = losses.toSorted((one, other) => one.from - other.from);
  const begins = [Number.NEGATIVE_INFINITY, ...ordered.map(({ to }) => to)];
  return Math.max(
    ...begins.map((begin, at) => {
      const end = ordered[at]?.from ?? Number.POSITIVE_INFINITY;
      return mostInAMinute(admitted.filter(({ sentAt, answeredAt }) => sentAt > begin && answeredAt < end));
    }),
  );
}

/**
 * Losses as the processes told them: each begins an epoch.
 * @param told of each process, in order  @param faultAt when the first was made, if it was
 */
export function findLosses(told: readonly (readonly ToldStatus[])[], faultAt?: number): Loss[] {
  const epochs = [...new Set(told.flat().map(({ epoch }) => epoch))].toSorted((one, other) => one - other);
  const losses = epochs.slice(1).map((epoch): Loss => {
    const known = told.flatMap((each) => each.find((status) => status.epoch >= epoch)?.at ?? []);
    // A process that notices it by itself is still in the epoch that ends.
    const noticed = told.flatMap((each) => leftShared(each.filter((status) => status.epoch === epoch - 1)));
    return { from: Math.min(...known, ...noticed) - UNNOTICED, to: Math.max(...known) };
  });
  const [first] = losses;
  if (faultAt === undefined || first === undefined) return losses;
  return [{ from: Math.min(first.from, faultAt), to: first.to }, ...losses.slice(1)];
}

function leftShared(told: readonly ToldStatus[]): number[] {
  const shared = told.findIndex(({ mode }) => mode === 'shared');
  const left = shared < 0 ? undefined : told.slice(shared).find(({ mode }) => mode !== 'shared');
  return left === undefined ? [] : [left.at];
}
