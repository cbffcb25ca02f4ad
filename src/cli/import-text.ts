// Owns the words of an import: how far it is, what it did, and what a rehearsal found.

import type { Rehearsal } from '../catalogue/import/dry-run.ts';
import type { Outcome, Progress } from '../catalogue/import/run.ts';
import { count, emphasis } from './output.ts';
import { duration, type Standing } from './progress.ts';

/** Follows the rows of one run: those that an earlier one has read do not count for its speed. */
export function standingOf({ rows, rejected, phase, part, placed, resumedAt }: Progress): Standing {
  if (phase === 'placing') return { part, done: placed, before: 0, noun: 'listings placed' };
  const note = rejected > 0 ? `${count(rejected)} rejected` : '';
  return { part, done: rows, before: resumedAt, noun: 'rows', note };
}

export function outcomeText(outcome: Outcome, seconds: number): string {
  const { rows, created, changed, unchanged, rejected, resumedAt, rejectedFile } = outcome;
  const rate = Math.round((rows - resumedAt) / Math.max(seconds, 0.001));
  return [
    ...(resumedAt > 0 ? [`Went on from row ${count(resumedAt)}.`] : []),
    ...aligned([
      ['rows', rows],
      ['created', created],
      ['changed', changed],
      ['unchanged', unchanged],
      ['rejected', rejected],
    ]),
    ...passedText(outcome.passed),
    `${duration(seconds)}, ${count(rate)} rows/s`,
    ...(rejectedFile === null
      ? []
      : [emphasis('warning', `Rejected rows, with the reason: ${rejectedFile}`)]),
    ...(outcome.interrupted ? ['Stopped. The same command goes on from here.'] : []),
  ].join('\n');
}

export function rehearsalText(rehearsal: Rehearsal): string {
  const { rows, usable, rejected, reasons, places, first, passed } = rehearsal;
  return [
    ...(first === null
      ? []
      : ['The first row as it would be written:', JSON.stringify(first, withoutShapes, 2), '']),
    ...aligned([
      ['rows', rows],
      ['usable', usable],
      ['rejected', rejected],
    ]),
    ...passedText(passed),
    ...reasons.map(({ row, reason }) => `  ${places} ${row}: ${reason}`),
    ...(rejected > reasons.length ? [`  and ${count(rejected - reasons.length)} more`] : []),
    'Nothing was written.',
  ].join('\n');
}

/** Boundaries have thousands of corners. */
function withoutShapes(name: string, value: unknown): unknown {
  return name === 'coordinates' ? '…' : value;
}

function aligned(figures: readonly (readonly [string, number])[]): string[] {
  const width = Math.max(...figures.map(([, figure]) => count(figure).length));
  return figures.map(([name, figure]) => `${name.padEnd(10)} ${count(figure).padStart(width)}`);
}

function passedText(passed: Readonly<Record<string, number>>): string[] {
  return Object.entries(passed).map(
    ([field, times]) => `${field}: ${count(times)} unreadable, left empty as the map allows`,
  );
}
