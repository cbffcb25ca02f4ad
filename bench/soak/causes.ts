// Causes of long turns: a profile is taken all the time, and what it saw in long turns is told, by the stacks of this repository.

import { appendFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { PerformanceObserver } from 'node:perf_hooks';
import type { Turn } from './turns.ts';

/** A line of the file. */
interface LongTurn {
  /** Since the epoch. */
  readonly at: string;
  /** Milliseconds of processor, of them in the kernel, and by the clock. */
  readonly milliseconds: number;
  readonly system: number;
  readonly clock: number;
  /** What was running how often: shares of the samples, the largest first; and collections of garbage with their milliseconds. */
  readonly causes: readonly string[];
}

/** Microseconds. */
const SAMPLE = 1_000;
/** Told of each turn: causes, and callers of each. */
const CAUSES = 5;
const CALLERS = 5;

/** Garbage collected, in microseconds on the monotonic clock. */
interface Collection {
  readonly at: number;
  readonly took: number;
  readonly kind: number;
}

export class Causes {
  readonly #session = new Session();
  readonly #file: string;
  #long: Turn[] = [];
  #collections: Collection[] = [];
  /** Microseconds on the monotonic clock at which this process began. */
  readonly #origin = Number(process.hrtime.bigint() / 1_000n) - performance.now() * 1_000;

  constructor(file: string) {
    this.#file = file;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.setSamplingInterval', { interval: SAMPLE });
    this.#session.post('Profiler.start');
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { startTime, duration, detail } = entry as PerformanceEntry & { detail: { kind: number } };
        const { kind } = detail;
        this.#collections.push({ at: this.#origin + startTime * 1_000, took: duration * 1_000, kind });
      }
    }).observe({ entryTypes: ['gc'] });
  }

  readonly note = (turn: Turn): void => {
    this.#long.push(turn);
  };

  /** Writes the long turns since the last time, the longest first. Takes long itself. */
  tell(): void {
    const [long, collections] = [this.#long, this.#collections];
    this.#long = [];
    this.#collections = [];
    // The session calls back at once.
    this.#session.post('Profiler.stop', (_, result) => {
      if (result === undefined) return;
      const reader = new ProfileReader(result.profile);
      for (const turn of long.sort((a, b) => b.spent - a.spent)) {
        const causes = [...collectionsIn(turn, collections), ...reader.causes(turn)];
        const line: LongTurn = {
          at: new Date(performance.timeOrigin + (turn.begun - this.#origin) / 1_000).toISOString(),
          milliseconds: milliseconds(turn.spent),
          system: milliseconds(turn.system),
          clock: milliseconds(turn.ended - turn.begun),
          causes,
        };
        appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
      }
    });
    this.#session.post('Profiler.start');
  }
}

const milliseconds = (microseconds: number): number => Math.round(microseconds / 100) / 10;

/** As `detail.kind` of entries about garbage has them. */
const KINDS: Readonly<Record<number, string>> = { 1: 'minor', 4: 'major', 8: 'step', 16: 'weak callbacks' };

const collectionsIn = ({ begun, ended }: Turn, collections: readonly Collection[]): string[] =>
  collections
    .filter(({ at }) => at >= begun && at <= ended)
    .map(({ took, kind }) => `GC ${KINDS[kind] ?? kind} ${(took / 1_000).toFixed(1)} ms`);

class ProfileReader {
  readonly #nodes = new Map<number, Profiler.ProfileNode>();
  readonly #parents = new Map<number, number>();
  readonly #profile: Profiler.Profile;
  readonly #times: number[] = [];

  constructor(profile: Profiler.Profile) {
    this.#profile = profile;
    for (const node of profile.nodes) {
      this.#nodes.set(node.id, node);
      for (const child of node.children ?? []) this.#parents.set(child, node.id);
    }
    let at = profile.startTime;
    for (const delta of profile.timeDeltas ?? []) {
      at += delta;
      this.#times.push(at);
    }
  }

  causes({ begun, ended }: Turn): string[] {
    const counts = new Map<string, number>();
    let all = 0;
    for (const [at, id] of (this.#profile.samples ?? []).entries()) {
      const time = this.#times[at] ?? 0;
      if (time < begun || time > ended) continue;
      all++;
      const stack = this.#stackOf(id);
      counts.set(stack, (counts.get(stack) ?? 0) + 1);
    }
    const sorted = [...counts].sort(([, a], [, b]) => b - a).slice(0, CAUSES);
    return sorted.map(([stack, count]) => `${((100 * count) / all).toFixed(0)} % ${stack}`);
  }

  /** What ran, and the nearest callers of this repository. */
  #stackOf(id: number): string {
    const frames: string[] = [];
    for (
      let at: number | undefined = id;
      at !== undefined && frames.length < CALLERS;
      at = this.#parents.get(at)
    ) {
      const frame = this.#nodes.get(at)?.callFrame;
      if (frame === undefined) break;
      const { functionName, url, lineNumber } = frame;
      const isOwn = url.includes('/src/');
      if (frames.length > 0 && !isOwn) continue;
      const place = url === '' ? '' : ` ${url.split('/').slice(-1)[0]}:${lineNumber + 1}`;
      frames.push(`${functionName || 'anonymous'}${place}`);
    }
    return frames.join(' < ');
  }
}
