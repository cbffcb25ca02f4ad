// Output of an import: progress line, summary, and the findings of a dry run.

import type { Rehearsal, RehearsalProgress } from '../import/dry-run.ts';
import type { Outcome, Progress } from '../import/run.ts';
import type { Clock } from '../lib/clock.ts';
import { count, emphasis, print, terminalWidth } from './output.ts';

export interface Standing {
  /** Between 0 and 1. */
  readonly part: number;
  /** Things done so far in all, and those that were done before this run. */
  readonly done: number;
  readonly before: number;
  /** What the things are: 'rows'. */
  readonly noun: string;
  /** More to say, such as how many were rejected. */
  readonly note?: string;
}

export interface ProgressLine {
  show(standing: Standing): void;
  /** Takes the line away. */
  end(): void;
}

/** Milliseconds between two lines. */
const ON_TERMINAL = 100;
const ELSEWHERE = 5_000;
const BAR = 24;

export function progressLine(clock: Clock, stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  let begun = clock.monotonic();
  let counted = '';
  const width = terminalWidth(stream);
  let last = width === undefined ? begun : Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    show(standing) {
      const now = clock.monotonic();
      if (counted !== '' && counted !== standing.noun) begun = now; // Something else is counted from here on.
      counted = standing.noun;
      if (now - last < (width === undefined ? ELSEWHERE : ON_TERMINAL)) return;
      last = now;
      const text = standingText(standing, (now - begun) / 1_000);
      if (width === undefined) return print(stream, text);
      shown = true;
      const bar = `${emphasis('key', barText(standing.part), stream)} `;
      stream.write(`\r\x1b[K${bar}${text.slice(0, Math.max(0, width - BAR - 3))}`);
    },
    end() {
      if (shown) stream.write('\r\x1b[K');
      shown = false;
    },
  };
}

/** `42 %  21,000 rows  3,400 rows/s  8 s left`; the time left follows from the part done in this run. */
function standingText({ part, done, before, noun, note }: Standing, seconds: number): string {
  const own = done - before;
  const rate = seconds > 0 ? own / seconds : 0;
  const ownPart = done > 0 ? (part * own) / done : 0;
  const left = ownPart > 0 && part < 1 ? ((1 - part) / ownPart) * seconds : null;
  const parts = [
    `${Math.floor(part * 100)} %`,
    `${count(done)} ${noun}`,
    `${count(Math.round(rate))} ${noun}/s`,
    left === null ? '' : `${duration(left)} left`,
    note ?? '',
  ];
  return parts.filter((text) => text !== '').join('  ');
}

/** Seconds as people say them. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function barText(part: number): string {
  const full = Math.round(part * BAR);
  return '━'.repeat(full) + '─'.repeat(BAR - full);
}

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
