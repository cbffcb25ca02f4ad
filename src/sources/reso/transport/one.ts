// Fetching of one listing: as an entity, or as a list of one from servers that know no entities.

import { LiveError } from '../../source.ts';
import { isRecord, type UpstreamRecord } from '../mapping/decode.ts';
import { bodyOf, refusal, valuesOf } from './answer.ts';
import type { PropertyShape } from './metadata.ts';
import { entityUrl, singleUrl } from './query.ts';
import type { Session } from './session.ts';
import type { UpstreamAnswer } from './transport.ts';

const LARGEST = 5 * 1024 * 1024;
/** How servers say that they do not know the entity, or entities at all. */
const TRY_AS_LIST: readonly number[] = [400, 404, 501];
const NO_ENTITIES: readonly number[] = [400, 501];

export class OneListing {
  readonly #session: Session;
  /** Set once the server has refused entities and answered a list. */
  #listsOnly = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The record with this key. Throws LiveError. */
  async fetch(key: string, signal: AbortSignal): Promise<UpstreamRecord> {
    const shape = await this.#session.shapeAtHand(signal);
    if (this.#listsOnly) return this.#fromList(key, shape, signal);
    const answer = await this.#get(entityUrl(this.#session.root, key, shape), signal);
    if (!TRY_AS_LIST.includes(answer.status)) return bodyOf(this.#accepted(answer));
    const record = await this.#fromList(key, shape, signal);
    this.#listsOnly = NO_ENTITIES.includes(answer.status);
    return record;
  }

  async #fromList(key: string, shape: PropertyShape, signal: AbortSignal): Promise<UpstreamRecord> {
    const answer = await this.#get(singleUrl(this.#session.root, key, shape), signal);
    const [record] = valuesOf(bodyOf(this.#accepted(answer)));
    if (record === undefined)
      throw new LiveError('not_found_upstream', 'The source no longer has this listing.');
    if (!isRecord(record)) throw new LiveError('parse_failed', 'The source answered without a record.');
    return record;
  }

  #get(url: string, signal: AbortSignal): Promise<UpstreamAnswer> {
    return this.#session.get(url, { signal, largest: LARGEST });
  }

  #accepted(answer: UpstreamAnswer): UpstreamAnswer {
    const refused = refusal(answer, this.#session.clock.now());
    if (refused !== null) throw refused;
    return answer;
  }
}
