// Sources that this process reads: that of its settings, and those that are set up in the database, kept up with it.

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type PeriodicWork, startPeriodicWork } from '../lib/periodic-work.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import type { Database } from '../postgres/client/database.ts';
import { findControls, type SourceControl, UNCONTROLLED } from './control-store.ts';
import { findResoSources, type ResoRegistered } from './registry/registry-store.ts';
import { SecretMissing } from './registry/secrets.ts';
import type { Source } from './source.ts';

/** Milliseconds between two looks at what is set up, and at what operators request. */
const LOOK_INTERVAL = 3_000;
/** Milliseconds between two rounds of changes of a source that is set up in the database. */
const INTERVAL = 60_000;
/** Milliseconds that requests of a source which is no longer set up have to end. */
const GRACE = 15_000;

/** A source that this process reads, or would read if it had its secrets. */
export interface ActiveSource {
  readonly id: string;
  readonly name: string;
  /** Null: this process lacks a secret of it. */
  readonly source: Source | null;
  /** Why it cannot be read here; null: it can. */
  readonly lacks: string | null;
  /** Milliseconds between two rounds of changes. */
  readonly interval: number;
  readonly control: SourceControl;
}

export interface SourceSetOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly report: (error: unknown) => void;
  /** The source of the settings of this process; null: none. */
  readonly source: Source | null;
  /** Milliseconds between two rounds of its changes. */
  readonly interval: number;
  /** Makes a source of what is set up. Throws SecretMissing. */
  readonly open: (registered: ResoRegistered) => Promise<Source>;
}

export class SourceSet {
  readonly #options: SourceSetOptions;
  readonly #listeners = new Set<() => void>();
  readonly #registered = new Map<string, ResoRegistered>();
  #active: ReadonlyMap<string, ActiveSource>;
  readonly #closing = new Set<Source>();
  #work: PeriodicWork | null = null;

  constructor(options: SourceSetOptions) {
    const { source, interval } = options;
    this.#options = options;
    const own = source && {
      id: source.id,
      name: source.name,
      source,
      lacks: null,
      interval,
      control: UNCONTROLLED,
    };
    this.#active = new Map(own ? [[own.id, own]] : []);
  }

  /** Reads what is set up, now and every few seconds. */
  async start(): Promise<void> {
    const { clock, report } = this.#options;
    await this.#look().catch(report);
    let isFirst = true;
    const work = async (): Promise<void> => {
      if (!isFirst) await this.#look();
      isFirst = false;
    };
    this.#work = startPeriodicWork({ clock, report, pause: LOOK_INTERVAL, work });
  }

  /** All of them, that of the settings first. */
  list(): readonly ActiveSource[] {
    return [...this.#active.values()];
  }

  ids(): readonly string[] {
    return [...this.#active.keys()];
  }

  /** The source with this id, as far as this process can read it. */
  find(id: string): Source | null {
    return this.#active.get(id)?.source ?? null;
  }

  get(id: string): ActiveSource | null {
    return this.#active.get(id) ?? null;
  }

  /** Calls after each change, until the function that is returned is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async stop(): Promise<void> {
    await this.#work?.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    const open = this.list().flatMap(({ source }) => (source === null ? [] : [source]));
    await Promise.all([...open, ...this.#closing].map((source) => source.close()));
  }

  async #look(): Promise<void> {
    const { database, source } = this.#options;
    const found = await nullIfUnavailable(
      database.read(async (sql) => ({
        registered: await findResoSources(sql),
        controls: await findControls(sql),
      })),
    );
    if (found === null) return;
    const { registered, controls } = found;
    const next = new Map<string, ActiveSource>();
    const own = source && this.#active.get(source.id);
    if (own) next.set(own.id, withControl(own, controls));
    for (const each of registered) {
      if (each.id === source?.id) continue;
      next.set(each.id, withControl(await this.#openOrKeep(each), controls));
    }
    const gone = this.list().filter(({ id, source }) => next.get(id)?.source !== source);
    for (const { id } of gone) if (!next.has(id)) this.#registered.delete(id);
    const isSame =
      gone.length === 0 &&
      next.size === this.#active.size &&
      this.list().every((each) => isDeepStrictEqual(next.get(each.id)?.control, each.control));
    this.#active = next;
    if (isSame) return;
    for (const listener of this.#listeners) listener();
    for (const each of gone) this.#closeLater(each);
  }

  /** The source as it was opened before, where it is set up as it was then. */
  async #openOrKeep(registered: ResoRegistered): Promise<ActiveSource> {
    const { open, log } = this.#options;
    const { id, name } = registered;
    const known = this.#active.get(id);
    const isSame = isDeepStrictEqual(this.#registered.get(id), registered);
    if (known !== undefined && isSame && known.source !== null) return known;
    this.#registered.set(id, registered);
    const common = { id, name, interval: INTERVAL, control: UNCONTROLLED };
    try {
      const source = await open(registered);
      log.info({ event: 'source', source: id }, `The source "${id}" is set up and is read from now on`);
      return { ...common, source, lacks: null };
    } catch (error) {
      if (!(error instanceof SecretMissing)) throw error;
      const lacks = error.message;
      if (known?.lacks !== lacks)
        log.warn(
          { event: 'source', source: id },
          `The source "${id}" cannot be read by this process: ${lacks}`,
        );
      return known !== undefined && known.lacks === lacks ? known : { ...common, source: null, lacks };
    }
  }

  /** Streams that read one of its listings may end first. */
  #closeLater({ id, source }: ActiveSource): void {
    if (source === null) return;
    const { clock, log, report } = this.#options;
    if (!this.#active.has(id))
      log.info(
        { event: 'source', source: id },
        `The source "${id}" is no longer set up, and is not read any more`,
      );
    this.#closing.add(source);
    clock.after(GRACE, () => {
      this.#closing.delete(source);
      source.close().catch(report);
    });
  }
}

function withControl(active: ActiveSource, controls: ReadonlyMap<string, SourceControl>): ActiveSource {
  const control = controls.get(active.id) ?? UNCONTROLLED;
  return isDeepStrictEqual(control, active.control) ? active : { ...active, control };
}
