// Output of an import: progress, summary, and the findings of a dry run.

import type { DryRun } from '../../import/dry-run.ts';
import type { ImportProgress } from '../../import/mapped-file.ts';
import type { MissingResult } from '../../import/missing.ts';
import { reportLines } from '../../import/report-text.ts';
import type { ImportResult } from '../../import/run.ts';
import { count, emphasis } from '../output.ts';
import { duration } from '../progress-line.ts';
import { partText } from './parts.ts';

/** `42 %  21,000 rows  3,400 rows/s  8 s left`. Rows of an earlier run do not count for the speed and the time left. */
export function importProgressText(progress: ImportProgress, seconds: number): string {
  const { phase, part, rows, rejected, resumedAt, placed } = progress;
  const isReading = phase !== 'placing';
  const [done, before, noun] = isReading ? [rows, resumedAt, 'rows'] : [placed, 0, 'listings placed'];
  const own = done - before;
  const ownPart = done > 0 ? (part * own) / done : 0;
  return [
    `${phase === 'surveying' ? 'survey ' : ''}${Math.floor(part * 100)} %`,
    `${count(done)} ${noun}`,
    `${count(Math.round(seconds > 0 ? own / seconds : 0))} ${noun}/s`,
    ...(ownPart > 0 && part < 1 ? [`${duration(((1 - part) / ownPart) * seconds)} left`] : []),
    ...(isReading && rejected > 0 ? [`${count(rejected)} rejected`] : []),
  ].join('  ');
}

function missingText(missing: MissingResult | null): string[] {
  if (missing === null) return [];
  const { action, missing: found, ended, examples } = missing;
  const done = action === 'withdraw' ? 'withdrawn' : 'deleted';
  const names = examples.length === 0 ? '' : `: ${examples.join(', ')}${found > examples.length ? ' …' : ''}`;
  return [`Not in the file: ${count(found)} listings${names}`, `${done.padEnd(10)} ${count(ended)}`];
}

/** With fewer rows a speed says nothing about the next file. */
const MANY_ROWS = 1_000;

export function resultText(result: ImportResult, seconds: number): string {
  const { rows, created, changed, unchanged, rejected, resumedAt, rejectedFile } = result;
  const own = rows - resumedAt;
  const rate = own < MANY_ROWS ? '' : `, ${count(Math.round(own / Math.max(seconds, 0.001)))} rows/s`;
  return [
    ...(resumedAt > 0 ? [`Continued from row ${count(resumedAt)}.`] : []),
    ...partText(result.part),
    ...aligned({ rows, created, changed, unchanged, rejected }),
    ...passedText(result.passed),
    ...missingText(result.missing),
    `${duration(seconds)}${rate}`,
    ...(rejectedFile === null
      ? []
      : [emphasis('warning', `Rejected rows, with the reason: ${rejectedFile}`)]),
    ...locatedText(result.located),
    ...reportLines(result.report, result.places),
    ...(result.interrupted ? ['Stopped. The same command continues from here.'] : []),
  ].join('\n');
}

/** Nothing where every listing has coordinates of its own. */
function locatedText(located: ImportResult['located']): string[] {
  if (located === null) return [];
  const { area, gazetteer, geocoder, none, provided } = located;
  if (area + gazetteer + geocoder + none === 0) return [];
  return [
    'Places on the map:',
    ...aligned({
      ...(provided > 0 && { 'from the file': provided }),
      ...(geocoder > 0 && { 'by the geocoder': geocoder }),
      'in the middle of an area': area,
      'in the middle of a town or ZIP code': gazetteer,
      none,
    }).map((line) => `  ${line}`),
    ...(area + gazetteer > 0
      ? ['  Middles are approximate: GEOCODER_URL has them looked up by address while the service runs.']
      : []),
    ...(none > 0 ? ['  Without a place: their addresses name no town or postal code that is known.'] : []),
  ];
}

export function dryRunText(dryRun: DryRun): string {
  const { rows, usable, rejected, reasons, places, first, passed, readAsUtc, report } = dryRun;
  const shownFirst = ['The first row as it would be written:', JSON.stringify(first, withoutShapes, 2), ''];
  const zones = `Times of ${readAsUtc.join(', ')} without a zone are read as UTC: set "timeZone" in the map if they are not.`;
  return [
    ...(first === null ? [] : shownFirst),
    ...partText(dryRun.part),
    ...aligned({ rows, usable, rejected }),
    ...passedText(passed),
    ...reasons.map(({ row, reason }) => `  ${places} ${row}: ${reason}`),
    ...(rejected > reasons.length ? [`  and ${count(rejected - reasons.length)} more`] : []),
    ...reportLines(report, places),
    ...(readAsUtc.length === 0 ? [] : [zones]),
    'Nothing was written.',
  ].join('\n');
}

/** Boundaries have thousands of corners. */
function withoutShapes(name: string, value: unknown): unknown {
  return name === 'coordinates' ? '…' : value;
}

function aligned(counts: Readonly<Record<string, number>>): string[] {
  const width = Math.max(...Object.values(counts).map((value) => count(value).length));
  return Object.entries(counts).map(([name, value]) => `${name.padEnd(10)} ${count(value).padStart(width)}`);
}

function passedText(passed: Readonly<Record<string, number>>): string[] {
  return Object.entries(passed).map(
    ([field, times]) => `${field}: ${count(times)} unreadable, left empty as the map allows`,
  );
}
