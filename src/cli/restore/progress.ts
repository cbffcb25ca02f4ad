// Progress of a restore as text: what is under way, how fast, and how long it will take.

import type { RestorePhase, RestoreProgress } from '../../backup/restore/restore-archive.ts';
import { count } from '../output.ts';
import { duration, type ProgressOf } from '../progress-line.ts';

export interface RestoreStep extends ProgressOf {
  readonly phase: RestorePhase | 'check';
  readonly done: number;
  readonly total: number;
}

const STEPS: Readonly<Record<Exclude<RestorePhase, 'rows'>, string>> = {
  indexes: 'keys and indexes',
  migrations: 'migrations',
  statistics: 'statistics',
};

/** While the backup is checked: its length in rows is known at its end. */
export const checked = (bytes: number): RestoreStep => ({ phase: 'check', done: bytes, total: 0, part: 0 });

export const restored = ({ phase, done, total }: RestoreProgress): RestoreStep => ({
  phase,
  done,
  total,
  part: total === 0 ? 1 : done / total,
});

/** `42 %  21,000 of 50,000 rows  3,400 rows/s  8 s left`, so many seconds after the phase began; in the first one without a rate. */
export function restoreProgressText({ phase, done, total, part }: RestoreStep, seconds: number): string {
  if (phase === 'check') return `checking the backup: ${(done / 1e6).toFixed(0)} MB of rows`;
  if (phase !== 'rows') return `${STEPS[phase]}: ${done} of ${total}`;
  return [
    `${Math.floor(part * 100)} %`,
    `${count(done)} of ${count(total)} rows`,
    ...(seconds >= 1 ? rateText(done, part, seconds) : []),
  ].join('  ');
}

function rateText(done: number, part: number, seconds: number): readonly string[] {
  const rate = `${count(Math.round(done / seconds))} rows/s`;
  return part > 0 && part < 1 ? [rate, `${duration(((1 - part) / part) * seconds)} left`] : [rate];
}
