// Quota of a client: requests in windows of time, and what becomes of a client that exceeds them.
import { ODataError } from '../odata/problem.ts';
import type { Clock } from '../world.ts';
import type { QuotaWindow, VendorRules } from './rules.ts';

export class Quota {
  readonly #rules: Pick<VendorRules, 'windows' | 'suspends'>;
  readonly #clock: Clock;
  #times: number[] = [];
  #isSuspended = false;
  /** Most requests that any window has seen, by its seconds. */
  readonly peaks = new Map<number, number>();
  refusals = 0;

  constructor(rules: Pick<VendorRules, 'windows' | 'suspends'>, clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
  }

  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  /** Counts a request; throws the 429 of one too many. */
  take(): void {
    const now = this.#clock();
    const longest = Math.max(0, ...this.#rules.windows.map(({ seconds }) => seconds));
    this.#times = [...this.#times.filter((at) => at > now - longest * 1_000), now];
    for (const window of this.#rules.windows) {
      const count = this.#countIn(window);
      this.peaks.set(window.seconds, Math.max(count, this.peaks.get(window.seconds) ?? 0));
      if (count <= window.requests && !this.#isSuspended) continue;
      this.refusals += 1;
      if (this.#rules.suspends) this.#isSuspended = true;
      const first = this.#times.find((at) => at > now - window.seconds * 1_000) ?? now;
      const wait = Math.max(1, Math.ceil((first + window.seconds * 1_000 - now) / 1_000));
      throw new ODataError(429, 'TooManyRequests', this.#reason(), { 'Retry-After': String(wait) });
    }
  }

  /** Headers that say how the windows stand. */
  headers(): Record<string, string> {
    const now = this.#clock();
    return Object.fromEntries(
      this.#rules.windows.flatMap((window) => {
        const { headers, seconds, requests, resetIn } = window;
        if (headers === undefined) return [];
        const end = now + seconds * 1_000;
        const reset = resetIn === 'milliseconds' ? end : Math.ceil(end / 1_000);
        return [
          // One vendor writes whole numbers as floats.
          [headers.limit, resetIn === 'milliseconds' ? `${requests}.0` : String(requests)] as const,
          ...(headers.remaining
            ? [[headers.remaining, String(Math.max(0, requests - this.#countIn(window)))] as const]
            : []),
          ...(headers.reset ? [[headers.reset, String(reset)] as const] : []),
        ];
      }),
    );
  }

  #countIn({ seconds }: QuotaWindow): number {
    const since = this.#clock() - seconds * 1_000;
    return this.#times.filter((at) => at > since).length;
  }

  #reason(): string {
    return this.#isSuspended ? 'The token is suspended; write to support' : 'Too many requests';
  }
}
