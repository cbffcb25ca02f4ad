// Progress of a long command: one line that renews itself on a terminal, plain lines elsewhere.

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
