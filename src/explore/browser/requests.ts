// Requests of the page to its service, and refusals that end by themselves.

import { after } from './clock.ts';
import { fetchPage } from './fetched-page.ts';
import { token } from './session.ts';

/** Why the service did not answer, and when to ask again. */
export class Refusal extends Error {
  /** Null: it cannot be reached. */
  readonly status: number | null;
  readonly code: string | null;
  /** Milliseconds; null: the same request will be refused again. */
  readonly retryAfter: number | null;

  constructor(message: string, fields: Pick<Refusal, 'status' | 'code' | 'retryAfter'>) {
    super(message);
    this.status = fields.status;
    this.code = fields.code;
    this.retryAfter = fields.retryAfter;
  }
}

/** Milliseconds after which a service that is away is asked again. */
const AWAY_RETRY = 3_000;
/** Milliseconds after which an answer is no longer waited for. */
const TIMEOUT = 30_000;
const PASSING = [429, 500, 502, 503, 504];

/**
 * The JSON of a path relative to the page, or of a whole URL. Throws a Refusal, or the signal's reason once it is aborted.
 */
export async function getJson<T>(path: string, signal: AbortSignal): Promise<T> {
  const credential = await token();
  const headers: Record<string, string> = { accept: 'application/json' };
  if (credential !== null) headers.authorization = `Bearer ${credential}`;
  const late = new AbortController();
  const cancel = after(TIMEOUT, () => late.abort());
  try {
    const answer = await fetch(path, { headers, signal: AbortSignal.any([signal, late.signal]) });
    if (!answer.ok) throw await refusalOf(answer);
    return (await answer.json()) as T;
  } catch (error) {
    // A service that stops in the middle of its answer is as far away as one that gives none.
    if (signal.aborted || error instanceof Refusal) throw error;
    throw awayRefusal();
  } finally {
    cancel();
  }
}

const awayRefusal = (): Refusal =>
  new Refusal('The service cannot be reached.', { status: null, code: null, retryAfter: AWAY_RETRY });

async function refusalOf(answer: Response): Promise<Refusal> {
  const problem = (await answer.json().catch(() => ({}))) as { code?: string; detail?: string };
  const wait = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const retryAfter = Number.isFinite(wait) ? wait * 1_000 : AWAY_RETRY;
  return new Refusal(problem.detail ?? `The service answered with ${answer.status}.`, {
    status: answer.status,
    code: problem.code ?? null,
    retryAfter: PASSING.includes(answer.status) ? retryAfter : null,
  });
}

/** A page of the service; rejects with a Refusal where it sends none, or with the signal's reason. */
export async function getPage(url: string, signal: AbortSignal): Promise<Document> {
  const page = await fetchPage(url, signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return null;
  });
  if (page?.status === 200) return page.content;
  throw awayRefusal();
}
