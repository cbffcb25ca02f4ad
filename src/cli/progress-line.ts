// Progress of a command: one line that is rewritten on a terminal, plain lines elsewhere.

import type { Clock } from '../lib/clock.ts';
import { emphasis, print, terminalWidth } from './output.ts';

/** Milliseconds between two lines. */
const TERMINAL_INTERVAL = 100;
const PLAIN_INTERVAL = 5_000;
const BAR_WIDTH = 24;

export interface ProgressOf {
  /** What is done, 0 to 1. */
  readonly part: number;
  /** Speed and time left are those of a phase. */
  readonly phase?: string;
}

/** Progress of which nobody may know how much there is: then it has no bar. */
type AnyProgress = Omit<ProgressOf, 'part'> & { readonly part: number | null };

export interface ProgressLine<P extends AnyProgress> {
  show(progress: P): void;
  /** Clears the line. */
  end(): void;
}

/** @param textOf the text of a progress, so many seconds after its phase began */
export function progressLine<P extends AnyProgress>(
  clock: Clock,
  textOf: (progress: P, seconds: number) => string,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressLine<P> {
  const width = terminalWidth(stream);
  let phase: string | undefined;
  let startedAt = clock.monotonic();
  let last = width === undefined ? startedAt : Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(progress) {
      const now = clock.monotonic();
      if (phase !== undefined && progress.phase !== phase) startedAt = now;
      phase = progress.phase;
      if (now - last < (width === undefined ? PLAIN_INTERVAL : TERMINAL_INTERVAL)) return;
      last = now;
      const text = textOf(progress, (now - startedAt) / 1_000);
      if (width === undefined) return print(stream, text);
      isShown = true;
      const bar = progress.part === null ? '' : `${emphasis('key', barText(progress.part), stream)} `;
      stream.write(`\r\x1b[K${bar}${text.slice(0, Math.max(0, width - BAR_WIDTH - 3))}`);
    },
    end() {
      if (isShown) stream.write('\r\x1b[K');
      isShown = false;
    },
  };
}

/** Seconds as people say them. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function barText(part: number): string {
  const full = Math.round(Math.min(1, part) * BAR_WIDTH);
  return '━'.repeat(full) + '─'.repeat(BAR_WIDTH - full);
}
