// Output of an import: progress, summary and the findings of a dry run.

import type { Rehearsal, RehearsalProgress } from '../import/dry-run.ts';
import type { Outcome, Progress } from '../import/run.ts';
import { count, emphasis } from './output.ts';
import { duration, type Standing } from './progress.ts';

/** Follows the rows of one run: those that an earlier one has read do not count for its speed. */
export function standingOf({ rows, rejected, phase, part, placed, resumedAt }: Progress): Standing {
  if (phase === 'placing') return { part, done: placed, before: 0, noun: 'listings placed' };
  const note = rejected > 0 ? `${count(rejected)} rejected` : '';
  return { part, done: rows, before: resumedAt, noun: 'rows', note };
}

export function rehearsalStanding({ rows, rejected, part }: RehearsalProgress): Standing {
  return {
    part,
    done: rows,
    before: 0,
    noun: 'rows',
    note: rejected > 0 ? `${count(rejected)} rejected` : '',
  };
}

/** Rows from which a speed says something of the next file. */
const MANY_ROWS = 1_000;

export function outcomeText(outcome: Outcome, seconds: number): string {
  const { rows, created, changed, unchanged, rejected, resumedAt, rejectedFile } = outcome;
  const own = rows - resumedAt;
  const rate = own < MANY_ROWS ? '' : `, ${count(Math.round(own / Math.max(seconds, 0.001)))} rows/s`;
  return [
    ...(resumedAt > 0 ? [`Continued from row ${count(resumedAt)}.`] : []),
    ...aligned([
      ['rows', rows],
      ['created', created],
      ['changed', changed],
      ['unchanged', unchanged],
      ['rejected', rejected],
    ]),
    ...passedText(outcome.passed),
    `${duration(seconds)}${rate}`,
    ...(rejectedFile === null
      ? []
      : [emphasis('warning', `Rejected rows, with the reason: ${rejectedFile}`)]),
    ...(outcome.interrupted ? ['Stopped. The same command continues from here.'] : []),
  ].join('\n');
}

export function rehearsalText(rehearsal: Rehearsal): string {
  const { rows, usable, rejected, reasons, places, first, passed, readAsUtc } = rehearsal;
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
    ...zoneText(readAsUtc),
    'Nothing was written.',
  ].join('\n');
}

function zoneText(fields: readonly string[]): string[] {
  if (fields.length === 0) return [];
  const names = fields.join(', ');
  return [`Times of ${names} without a zone are read as UTC: set "timeZone" in the map if they are not.`];
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
