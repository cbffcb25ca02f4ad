// Licences as one process knows them: what is open to whom on each channel, followed as terms and blocks change.

import { hash } from 'node:crypto';
import {
  CHANNELS,
  type Channel,
  type Display,
  PLAIN,
  type Reach,
  UNKNOWN_SOURCE,
} from '../access/tiers/reach.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import { type Clock, parseTime } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { type Listener, listen } from '../postgres/client/listen.ts';
import { permittedAudience } from './evaluate.ts';
import { findLicenceState, LICENCES_CHANNEL, type LicenceRow, type LicenceState } from './licence-store.ts';
import { type Audience, includes, OWN } from './terms/terms.ts';

/** Milliseconds after which everything is read once more: notices can be lost, and sources grow too old. */
const INTERVAL = 5_000;

const READERS = ['public', 'signed-in', 'subscribers'] as const satisfies Audience[];
type Reader = (typeof READERS)[number];

/** The audience that a caller belongs to. */
export function readerOf({ kind, subscription }: Pick<Principal, 'kind' | 'subscription'>): Reader {
  if (subscription !== null) return 'subscribers';
  return kind === 'anonymous' ? 'public' : 'signed-in';
}

/** The audience of the owner of watchers: only a grant can be without a subscription. */
export const readerOfOwner = (owner: string): Reader =>
  owner.startsWith('grant:') ? 'signed-in' : 'subscribers';

export interface LicencesOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Called with errors that no client sees, for the log. */
  readonly report: (error: unknown) => void;
}

/** What is open on a channel, and to whom. */
export type FindReach = (channel: Channel, reader: Reader) => Reach;

export class Licences {
  readonly #options: LicencesOptions;
  readonly #reaches: ReadonlyMap<string, LiveReach>;
  readonly #anywhere = new LiveReach(null);
  #listener: Listener | null = null;
  #cancel = () => {};
  #isClosed = false;
  /** Reading now, and reading once more after that. */
  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(options: LicencesOptions) {
    this.#options = options;
    const exported = new Map(READERS.map((reader) => [reader, new LiveReach(null)]));
    this.#reaches = new Map(
      CHANNELS.flatMap((channel) =>
        READERS.map((reader) => [placeOf(channel, reader), createReach(channel, exported.get(reader))]),
      ),
    );
  }

  /** What is open to such readers on a channel: now, and whenever it is asked. */
  readonly reachOf: FindReach = (channel, reader) => {
    const reach = this.#reaches.get(placeOf(channel, reader));
    if (reach === undefined) throw new Error(`There is no channel ${channel}`);
    return reach;
  };

  /** The source whose listings are under the licence of this number. */
  readonly sourceOf = (licence: number): string => this.#anywhere.sourceOf(licence);

  /** The widest audience that a channel shows anything; `public` where nothing is stored. */
  widest(channel: Channel): Audience {
    const isOpen = (reader: Reader): boolean => {
      const { isWhole, open } = this.reachOf(channel, reader);
      return isWhole || open.length > 0;
    };
    return READERS.find(isOpen) ?? 'off';
  }

  /** What any channel shows to some readers: their photos are fetched without credentials, at addresses that nobody else knows. */
  get anywhere(): Reach {
    return this.#anywhere;
  }

  /** Reads the licences, and follows them from now on. Throws if the database cannot be read. */
  async start(): Promise<void> {
    await this.refresh();
    const refresh = (): void => void this.refresh().catch(this.#options.report);
    this.#listener = listen(this.#options.database, LICENCES_CHANNEL, refresh, refresh, {
      onError: this.#options.report,
    });
    this.#follow();
  }

  /** Reads everything that was committed before. */
  refresh(): Promise<void> {
    if (this.#reading === null) {
      this.#reading = this.#read().finally(() => {
        this.#reading = null;
      });
      return this.#reading;
    }
    this.#next ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.refresh();
      });
    return this.#next;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#listener?.close();
    await Promise.allSettled([this.#reading, this.#next]);
  }

  #follow(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(INTERVAL, () => {
      void this.refresh()
        .catch(this.#options.report)
        .finally(() => this.#follow());
    });
  }

  async #read(): Promise<void> {
    const { database, clock } = this.#options;
    const state = await database.read(findLicenceState);
    const now = clock.now();
    const displays = displaysOf(state);
    for (const channel of CHANNELS)
      for (const reader of READERS) {
        const open = openLicences(state, channel, reader, now);
        this.#reaches.get(placeOf(channel, reader))?.set(open, state.licences, displays);
      }
    const shown = CHANNELS.map((channel) => openLicences(state, channel, 'subscribers', now));
    this.#anywhere.set(
      [...new Set(shown.flat())].sort((a, b) => a - b),
      state.licences,
      displays,
    );
  }
}

/** Agents get what is open to agents, in whatever form. */
function createReach(channel: Channel, exported: LiveReach = new LiveReach(null)): LiveReach {
  if (channel === 'export') return exported;
  return new LiveReach(channel === 'mcp' ? null : exported);
}

const placeOf = (channel: Channel, reader: Reader): string => `${channel} ${reader}`;

/** How sources are shown whose terms say it, or that are set up. Terms that an earlier release stored do not. */
function displaysOf({ terms, names }: LicenceState): ReadonlyMap<string, Display> {
  const displays = new Map<string, Display>(names.map(({ source, name }) => [source, { ...PLAIN, name }]));
  for (const { source, terms: stated } of terms) {
    const { attribution = null, disclaimer = null, logo = null } = stated;
    const name = displays.get(source)?.name ?? null;
    displays.set(source, { name, attribution, disclaimer, logo });
  }
  return displays;
}

/** Whether terms say how its listings are shown. */
const isStyled = ({ attribution, disclaimer, logo }: Display): boolean =>
  attribution !== null || disclaimer !== null || logo !== null;

/** Numbers of the licences that are open to readers on a channel, ascending. */
export function openLicences(
  { licences, terms, blocks, read }: LicenceState,
  channel: Channel,
  reader: Reader,
  now: number,
): number[] {
  const termsOf = new Map(terms.map((each) => [each.source, each]));
  const blocked = Map.groupBy(blocks, ({ source }) => source);
  const readAt = new Map(read.map(({ source, at }) => [source, parseTime(at)]));
  return licences
    .filter(({ source, marks }) => {
      const at = readAt.get(source) ?? null;
      const state = {
        blocked: new Set(blocked.get(source)?.map((block) => block.channel)),
        age: at === null ? null : (now - at) / 1_000,
        isInLine: termsOf.get(source)?.isInLine ?? true,
      };
      return includes(permittedAudience(termsOf.get(source)?.terms ?? OWN, marks, state, channel), reader);
    })
    .map(({ no }) => no);
}

/** It says what is open whenever it is asked: what goes on for long need not find another. */
class LiveReach implements Reach {
  #key = 'unknown';
  #isWhole = false;
  #open: readonly number[] = [];
  #numbers: ReadonlySet<number> = new Set();
  #sources: readonly string[] = [];
  #sourceOf: ReadonlyMap<number, string> = new Map();
  #displays: ReadonlyMap<string, Display> = new Map();
  readonly exported: Reach;

  /** Null: itself. */
  constructor(exported: Reach | null) {
    this.exported = exported ?? this;
  }

  get key(): string {
    return this.#key;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  get open(): readonly number[] {
    return this.#open;
  }

  has(licence: number): boolean {
    // New is only what terms written before open as widely: see `writeTerms`.
    return this.#isWhole || this.#numbers.has(licence);
  }

  get sources(): readonly string[] {
    return this.#sources;
  }

  displayOf(source: string): Display {
    return this.#displays.get(source) ?? PLAIN;
  }

  sourceOf(licence: number): string {
    return this.#sourceOf.get(licence) ?? UNKNOWN_SOURCE;
  }

  /** `known`: all licences that there are. */
  set(open: readonly number[], known: readonly LicenceRow[], displays: ReadonlyMap<string, Display>): void {
    const isWhole = open.length === known.length;
    const numbers = new Set(open);
    const sources = new Set(known.flatMap(({ no, source }) => (numbers.has(no) ? [source] : [])));
    const shown = [...displays].filter(([source, display]) => sources.has(source) && isStyled(display));
    const style = shown.length === 0 ? '' : hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 12);
    this.#open = open;
    this.#numbers = numbers;
    this.#sourceOf = new Map(known.map(({ no, source }) => [no, source]));
    this.#isWhole = isWhole;
    this.#sources = [...sources].sort();
    this.#displays = displays;
    this.#key = [isWhole ? '' : `open ${open.join()}`, style].filter((part) => part !== '').join(' ');
  }
}
