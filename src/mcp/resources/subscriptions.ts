// Subscriptions: open streams of updates, each of the resources that exist and that its caller may follow, and of no others.

import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Principal } from '../../access/tiers/tiers.ts';
import type { Access } from '../../http/frame/route.ts';
import type { Clock } from '../../lib/clock.ts';
import { invalidParameter, Problem } from '../../lib/problem.ts';
import { parseResourceUri } from './resource-uri.ts';
import type { McpResources } from './resources.ts';
import { StreamBus } from './stream-bus.ts';

/** What a caller sent, as identify reads it. */
export interface Credential {
  /** The header of that name. */
  readonly authorization: string;
  readonly address: string;
}

/** Stops what it was returned by; may be called twice. */
type Stop = () => void;

export interface SubscriptionOptions {
  readonly resources: Pick<McpResources, 'access' | 'requireFollowed'>;
  readonly clock: Clock;
  /** Takes one of the caller's feeds. Throws TOO_MANY_STREAMS. */
  readonly openFeed: (caller: Principal) => Promise<Stop>;
  /** Calls `end` once the credential is not good for this access any more. */
  readonly checkCredential: (stream: {
    readonly credential: Credential;
    readonly access: Access;
    readonly end: () => void;
  }) => Stop;
  /** Calls back with each event of an owner's watcher, from now on. */
  readonly followWatcher: (
    watcher: { readonly owner: string; readonly watcherId: string },
    onEvent: () => void,
  ) => Promise<Stop>;
  /** Calls back with each change of a listing that its source lets be shown, from now on. */
  readonly followListing: (listingId: string, onChange: () => void) => Promise<Stop>;
}

export interface SubscriptionRequest {
  readonly caller: Principal;
  readonly credential: Credential;
  /** As the client asks for them. */
  readonly uris: readonly string[];
  /** Aborts when the client leaves, which closes the subscription. */
  readonly signal: AbortSignal;
}

export interface Subscription {
  /** Those of the URIs that exist and the caller may follow, in order. Empty: the subscription holds nothing. */
  readonly uris: readonly string[];
  /** Bus of this stream alone. The subscription closes when its listener leaves. */
  readonly bus: ServerEventBus;
  /** Aborts when the service ends the stream. */
  readonly ended: AbortSignal;
  /** Frees what it holds; may be called twice. */
  close(): void;
}

/** URIs of one stream. */
const MAX_URIS = 100;

export class Subscriptions {
  readonly #options: SubscriptionOptions;
  /** Ends of the open streams. */
  readonly #open = new Set<() => void>();
  #isClosed = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /** Open streams. */
  get size(): number {
    return this.#open.size;
  }

  /** Opens a stream. Throws INVALID_PARAMETER for too many URIs, TOO_MANY_STREAMS, and errors of the database. */
  async open(request: SubscriptionRequest): Promise<Subscription> {
    const { openFeed } = this.#options;
    const uris = await this.#followable(request);
    const stops: Stop[] = [];
    const ended = new AbortController();
    const close = () => {
      this.#open.delete(end);
      request.signal.removeEventListener('abort', close);
      bus.close();
      for (const stop of stops.splice(0)) stop();
    };
    const end = () => {
      close();
      ended.abort();
    };
    const bus = new StreamBus(this.#options.clock, close);
    const subscription = { uris, bus, ended: ended.signal, close };
    if (uris.length === 0) return subscription;
    this.#open.add(end);
    try {
      stops.push(await openFeed(request.caller));
      for (const access of this.#accesses(uris))
        stops.push(this.#options.checkCredential({ credential: request.credential, access, end }));
      for (const uri of uris) stops.push(await this.#follow(uri, request.caller, () => bus.update(uri)));
    } catch (error) {
      close();
      throw error;
    }
    if (this.#isClosed || ended.signal.aborted) end();
    else if (request.signal.aborted) close();
    else request.signal.addEventListener('abort', close, { once: true });
    return subscription;
  }

  /** Ends all streams, and those that are being opened. */
  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#open]) end();
  }

  /** Unknown, foreign and hidden resources are left out alike. */
  async #followable({ uris, caller, credential, signal }: SubscriptionRequest): Promise<string[]> {
    const requested = [...new Set(uris)];
    if (requested.length > MAX_URIS)
      throw invalidParameter(
        'resourceSubscriptions',
        `takes at most ${MAX_URIS} URIs; open another stream for more`,
      );
    const context = { caller, signal, requestId: '', address: credential.address };
    const followable: string[] = [];
    for (const uri of requested) {
      try {
        await this.#options.resources.requireFollowed(uri, context);
        followable.push(uri);
      } catch (error) {
        if (!(error instanceof Problem) || (error.status !== 403 && error.status !== 404)) throw error;
      }
    }
    return followable;
  }

  /** What the credential must be good for, each access once. */
  #accesses(uris: readonly string[]): Iterable<Access> {
    return new Set(uris.flatMap((uri) => this.#options.resources.access(uri) ?? []));
  }

  #follow(uri: string, { owner }: Principal, onUpdate: () => void): Promise<Stop> {
    const { followListing, followWatcher } = this.#options;
    const resource = parseResourceUri(uri);
    if (resource?.kind === 'listing') return followListing(resource.id, onUpdate);
    if (resource?.kind === 'watcher' && owner !== null)
      return followWatcher({ owner, watcherId: resource.id }, onUpdate);
    throw new Error('Only listings and watchers of an owner can be followed');
  }
}
