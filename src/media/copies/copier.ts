// Copier of the pictures of one listing: those that are missing are fetched, stored, and shown together.

import { lockShown, showPictures } from '../../ingest/pictures/show-pictures.ts';
import type { PlacementCache } from '../../ingest/placement-cache.ts';
import type { Clock } from '../../lib/clock.ts';
import type { NetworkAccess } from '../../lib/network/network-access.ts';
import { type WantedPicture, wantedPictures } from '../../listings/pictures/own-pictures.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { type Fetched, fetchPicture, type PictureFault } from '../pictures/fetch-picture.ts';
import { hashOf, type PictureFiles } from '../pictures/picture-files.ts';
import type { PictureSource } from '../pictures/picture-source.ts';
import {
  type DueListing,
  deleteOtherCopies,
  findCopies,
  insertCopy,
  isCurrent,
  lockFile,
  stopTrying,
  writeProgress,
  writeRest,
} from './copy-store.ts';
import type { HostRests } from './host-rests.ts';

export interface CopierOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly access: Pick<NetworkAccess, 'check' | 'outbound'>;
  readonly files: Pick<PictureFiles, 'put'>;
  readonly placements: PlacementCache;
  readonly hosts: HostRests;
  /** Called with what became of each try: `copied`, or a fault. */
  readonly count: (outcome: PictureFault | 'copied' | 'limited', bytes: number) => void;
  readonly signal: AbortSignal;
}

/** A picture with the address that it is fetched from. */
interface Missing {
  readonly name: string;
  readonly url: string;
}

/** Milliseconds for which no picture of the source is to be fetched; null: others may be. */
export type Pause = number | null;

export const MAX_TRIES = 3;
/** Milliseconds after a first and a second try that failed. */
const RETRIES = [300_000, 3_600_000];
/** Files that stay what they are, however often they are fetched. */
const FINAL: readonly PictureFault[] = ['not_an_image', 'too_large', 'too_many_pixels'];
/** Pictures that are fetched at once. */
const AT_ONCE = 4;
/** Milliseconds for which addresses that can be fetched once are used: they last an hour. */
const LIFETIME = 45 * 60_000;
/** The name under which failures to request pictures are counted. */
const REQUEST = 'request';
const MAX_TRANSACTION = 60_000;

export class Copier {
  readonly #options: CopierOptions;

  constructor(options: CopierOptions) {
    this.#options = options;
  }

  /** Copies what a listing lacks, and shows what there is then. Throws WorkTaken where another process copies by now. */
  async copy(due: DueListing, source: PictureSource, lease: HeldLease): Promise<Pause> {
    const { database } = this.#options;
    const run = new Run(this.#options, due, source, lease);
    const found = await run.wanted();
    if (typeof found === 'number') return found;
    const copies = await database.read((sql) => findCopies(sql, due.id));
    const wanted = found?.wanted ?? due.pictures ?? [];
    const missing = (found?.missing ?? []).filter(({ name }) => !copies.has(name) && run.mayTry(name));
    await run.fetchAll(missing);
    await run.finish(found === null ? null : wanted);
    return run.pause;
  }
}

interface Found {
  readonly wanted: readonly WantedPicture[];
  readonly missing: readonly Missing[];
}

class Run {
  readonly #options: CopierOptions;
  readonly #due: DueListing;
  readonly #source: PictureSource;
  readonly #lease: HeldLease;
  readonly #failures: Map<string, number>;
  readonly #since: number;
  /** Whether something is left to try that has not failed. */
  #isLeft = false;
  pause: Pause = null;

  constructor(options: CopierOptions, due: DueListing, source: PictureSource, lease: HeldLease) {
    this.#options = options;
    this.#due = due;
    this.#source = source;
    this.#lease = lease;
    this.#failures = new Map(Object.entries(due.failures));
    this.#since = options.clock.monotonic();
  }

  mayTry(name: string): boolean {
    return (this.#failures.get(name) ?? 0) < MAX_TRIES;
  }

  /** The pictures that the listing wants, with their addresses; null where they could not be requested; a number: the source wants a pause. */
  async wanted(): Promise<Found | number | null> {
    const { pictures, key, listingId } = this.#due;
    if (this.#source.request === undefined) {
      const wanted = pictures ?? [];
      const missing = wanted.flatMap(({ name, url }) => (url === null ? [] : [{ name, url }]));
      return { wanted, missing };
    }
    try {
      const requested = await this.#source.request({ key, listingId }, this.#options.signal);
      if (typeof requested === 'number') return requested;
      this.#failures.delete(REQUEST);
      if (requested === null) return { wanted: [], missing: [] };
      const { versions, changedAt } = requested;
      const wanted = wantedPictures(requested, { mode: 'copy', versions, changedAt });
      const urls = new Map(
        [...requested.photos, ...requested.floorPlans].map(({ id, url }) => [id, url] as const),
      );
      const missing = wanted.map(({ name, picture }) => ({ name, url: urls.get(picture.id) ?? '' }));
      return { wanted, missing };
    } catch {
      // What failed is counted where requests are sent.
      this.#options.signal.throwIfAborted();
      this.#fail(REQUEST, 'unreachable');
      return null;
    }
  }

  /** Some at once where addresses last; one after another where each can be fetched once. */
  async fetchAll(missing: readonly Missing[]): Promise<void> {
    const left = [...missing].reverse();
    const worker = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        if (this.pause !== null || this.#isLate()) {
          this.#isLeft = true;
          return;
        }
        await this.#fetchOne(next);
      }
    };
    const count = this.#source.request === undefined ? AT_ONCE : 1;
    await Promise.all(Array.from({ length: count }, worker));
  }

  #isLate(): boolean {
    return this.#source.request !== undefined && this.#options.clock.monotonic() - this.#since > LIFETIME;
  }

  async #fetchOne({ name, url }: Missing): Promise<void> {
    const { access, clock, hosts, signal, count } = this.#options;
    if (hosts.isResting(url)) {
      this.#isLeft = true;
      return;
    }
    const wait = await this.#source.permit(signal);
    if (wait !== null) {
      this.pause = Math.max(this.pause ?? 0, wait);
      this.#isLeft = true;
      return;
    }
    // Nothing is fetched that another process may have fetched meanwhile.
    this.#lease.requireHeld();
    const headers = await this.#source.headers(url, signal);
    const fetched = await fetchPicture(url, { access, clock, signal, headers });
    this.#source.observed(fetched.received);
    hosts.note(url, fetched);
    if (fetched.state === 'limited') {
      count('limited', fetched.received);
      await this.#rest(fetched.wait);
    } else if (fetched.state === 'failed') {
      count(fetched.fault, fetched.received);
      this.#fail(name, fetched.fault);
    } else {
      await this.#store(name, fetched);
      count('copied', fetched.received);
    }
  }

  /** A source that is asked again before it wants that may end the access altogether: a restart forgets nothing. */
  async #rest(wait: number): Promise<void> {
    const until = new Date(this.#options.clock.now() + wait);
    await this.#lease.transaction((tx) => writeRest(tx, this.#due.source, until));
    this.pause = wait;
    this.#isLeft = true;
  }

  #fail(name: string, fault: PictureFault): void {
    const tries = FINAL.includes(fault) ? MAX_TRIES : (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, tries);
  }

  async #store(name: string, { file, head }: Extract<Fetched, { state: 'fetched' }>): Promise<void> {
    const { clock, files } = this.#options;
    const hash = hashOf(file);
    const copy = { listing: this.#due.id, name, hash, head, bytes: file.length };
    await this.#lease.transaction(
      async (tx) => {
        await lockFile(tx, hash);
        await files.put(hash, file);
        await insertCopy(tx, copy, new Date(clock.now()));
      },
      { timeout: MAX_TRANSACTION },
    );
    this.#failures.delete(name);
  }

  /** Notes how far it came, and makes the record show what there is. `wanted`: null where it is not known. */
  async finish(wanted: readonly WantedPicture[] | null): Promise<void> {
    const { clock, placements } = this.#options;
    const { id, pictures } = this.#due;
    await this.#lease.transaction(
      async (tx) => {
        // Whoever writes the listing meanwhile has other pictures in mind.
        if (!(await lockShown(tx, id))) return stopTrying(tx, id);
        if (!(await isCurrent(tx, this.#due))) return;
        const known = wanted ?? pictures ?? [];
        const names = known.map(({ name }) => name);
        if (wanted !== null) await deleteOtherCopies(tx, id, names);
        const copies = await findCopies(tx, id);
        const now = clock.now();
        await writeProgress(tx, id, this.#progress(wanted ?? pictures, copies, now));
        if (wanted === null) return;
        const areas = await placements.load(tx);
        await showPictures(tx, id, wanted, (name) => copies.has(name), { areas, now });
      },
      { timeout: MAX_TRANSACTION },
    );
  }

  #progress(wanted: readonly WantedPicture[] | null, copies: ReadonlySet<string>, now: number) {
    const open = (wanted ?? []).map(({ name }) => name).filter((name) => !copies.has(name));
    if (this.#failures.has(REQUEST)) open.push(REQUEST);
    const lost = new Set(this.#source.request === undefined ? namesOfUploads(wanted ?? []) : []);
    const waiting = open.filter((name) => this.mayTry(name) && !lost.has(name));
    const failures = Object.fromEntries(
      open.flatMap((name) => {
        const tries = this.#failures.get(name);
        return tries === undefined ? [] : [[name, tries] as const];
      }),
    );
    const tries = Math.max(0, ...waiting.map((name) => this.#failures.get(name) ?? 0));
    const wait = this.#isLeft ? Math.max(this.pause ?? 0, 60_000) : (RETRIES[tries - 1] ?? 60_000);
    return {
      pictures: wanted,
      failures,
      waiting: waiting.length,
      failed: open.length - waiting.length,
      dueAt: waiting.length === 0 ? null : new Date(now + wait),
    };
  }
}

/** Files that were uploaded come from nowhere else: those that are gone are not waited for. */
const namesOfUploads = (wanted: readonly WantedPicture[]): readonly string[] =>
  wanted.filter(({ url }) => url === null).map(({ name }) => name);
