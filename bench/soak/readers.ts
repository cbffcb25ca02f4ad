// Readers of the soak: questions at random moments, each timed from when it was due, by kind.

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { random } from '../market.ts';

export interface AskedQuestion {
  readonly kind: string;
  readonly path: string;
}

/** Connections that are kept busy to find the peak, and the most that an open load uses. */
const BUSY = 16;
const MOST = 64;
/** Characters of what was wrong. */
const MOST_TOLD = 100;

export class Readers {
  /** Microseconds of each kind of question, answered by 200, of the open load. */
  readonly took = new Map<string, RecordableHistogram>();
  /** How many other answers there were, by kind and status or error. */
  readonly failures = new Map<string, number>();
  /** How many questions were answered by 200. */
  answered = 0;
  readonly #questions: readonly AskedQuestion[];
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;
  readonly #next = random(11);

  constructor(url: string, headers: Record<string, string>, questions: readonly AskedQuestion[]) {
    this.#questions = questions;
    this.#headers = headers;
    this.#pool = new Pool(url, { connections: MOST });
  }

  /** Questions a second that are answered while several wait at any time. */
  async peak(seconds: number): Promise<number> {
    const end = now() + seconds * 1_000;
    let answered = 0;
    const ask = async (): Promise<void> => {
      while (now() < end) if ((await this.#ask(this.#draw())) === 200) answered++;
    };
    await Promise.all(Array.from({ length: BUSY }, ask));
    return answered / seconds;
  }

  /** Asks so many a second, on average, whatever the service does; resolves once all are answered. */
  async open(rate: number, seconds: number): Promise<void> {
    const waiting = new Set<Promise<void>>();
    const clock = new Worker(new URL('../million/metronome.ts', import.meta.url), {
      workerData: { rate, seconds },
    });
    await new Promise<void>((resolve, reject) => {
      clock.once('error', reject).on('message', (at: number | null) => {
        if (at === null) resolve();
        else {
          const asked = this.#time(this.#draw(), at).finally(() => waiting.delete(asked));
          waiting.add(asked);
        }
      });
    });
    await Promise.all(waiting);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #draw(): AskedQuestion {
    const question = this.#questions[Math.floor(this.#next() * this.#questions.length)];
    if (question === undefined) throw new Error('There are no questions');
    return question;
  }

  async #time(question: AskedQuestion, due: number): Promise<void> {
    const status = await this.#ask(question);
    if (status === 200) {
      this.answered++;
      histogramOf(this.took, question.kind).record(Math.max(1, Math.round((now() - due) * 1_000)));
      return;
    }
    const failure = `${question.kind}: ${status}`;
    this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
  }

  /** The status, or what went wrong instead. */
  async #ask({ path }: AskedQuestion): Promise<number | string> {
    try {
      const { statusCode, body } = await this.#pool.request({ path, method: 'GET', headers: this.#headers });
      const text = await body.text();
      return statusCode === 200 ? statusCode : `${statusCode} ${detailOf(text)}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

/** What is wrong, in its first sentence. */
function detailOf(problem: string): string {
  const [, detail = problem] = /"detail":"([^".]*)/.exec(problem) ?? [];
  return detail.slice(0, MOST_TOLD);
}

function histogramOf(took: Map<string, RecordableHistogram>, kind: string): RecordableHistogram {
  const known = took.get(kind);
  if (known !== undefined) return known;
  const created = createHistogram();
  took.set(kind, created);
  return created;
}

/** Milliseconds on a clock that threads share. */
const now = (): number => performance.timeOrigin + performance.now();
