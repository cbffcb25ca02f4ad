// What agents asked, where the operator records it: without keys, with the network of the client in place of its address, bounded. Pure.

import { addressGroup } from '../lib/ip-address.ts';
import { redact } from '../lib/log.ts';

/** A question of an agent as it is stored. */
export interface AgentQuery {
  /** Milliseconds. */
  readonly at: number;
  readonly account: string;
  /** The OAuth client; empty: a key. */
  readonly client: string;
  readonly address: string;
  /** The tool, or `resources/read`. */
  readonly tool: string;
  /** JSON, cut where it is long. */
  readonly arguments: string;
  /** `ok`, or the code of the problem; empty: not known. */
  readonly outcome: string;
}

/** Bytes of the arguments of one question. */
const MAX_BYTES = 4_096;
/** Members whose values are secrets, whatever they look like. */
const SECRET_MEMBER = /secret|token|password|authorization|api_?key|credential/i;

/** Arguments as JSON, without what is secret or looks like it. */
export function recordedArguments(value: unknown): string {
  const json = JSON.stringify(value ?? {}, (name, member: unknown) =>
    SECRET_MEMBER.test(name) ? '[redacted]' : member,
  );
  const text = redact(json);
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  // Decoding puts a replacement in place of a character that was cut.
  return `${Buffer.from(text)
    .subarray(0, MAX_BYTES - 6)
    .toString()
    .replace(/\uFFFD$/, '')}…`;
}

/** The network of an address: of IPv4 the first three numbers, of IPv6 the first three groups. */
export function networkOf(address: string): string {
  const group = addressGroup(address, 48);
  return group.includes(':') ? group : group.replace(/\.\d+$/, '.0/24');
}

/** Questions that wait to be written; what has no room is counted. */
export class QueryBuffer {
  readonly #max: number;
  #waiting: AgentQuery[] = [];
  #dropped = 0;

  /** @param max questions between two writes */
  constructor(max: number) {
    this.#max = max;
  }

  /** Questions that had no room since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  add(query: AgentQuery): void {
    if (this.#waiting.length < this.#max) this.#waiting.push(query);
    else this.#dropped += 1;
  }

  take(): readonly AgentQuery[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** Puts back what could not be written. */
  restore(queries: readonly AgentQuery[]): void {
    const [before, after] = [queries, this.#waiting];
    this.#waiting = [];
    for (const query of [...before, ...after]) this.add(query);
  }
}
