// Port to the server that counts for all processes.

/** Proof, one for each part of the keys, that what was counted there is still there. */
export type Marks = readonly string[];

/** Keys are in this many parts, which a cluster may keep on different servers. */
export const PARTS = 16;

/** Where one name is counted. */
export interface Place {
  /** From 0 to PARTS - 1. */
  readonly part: number;
  /** What the part must still show. */
  readonly mark: string;
  /** Without the braces of its part. */
  readonly key: string;
}

export interface TakeRequest {
  readonly quota: number;
  /** Slots; 0: none, to see what is free. */
  readonly wanted: number;
  /** Milliseconds after which a slot is free again. */
  readonly window: number;
  /** Begins the names of the slots, which end in numbers from `first` on. */
  readonly prefix: string;
  readonly first: number;
}

export interface TakeReply {
  readonly granted: number;
  /** Slots that are free afterwards; never negative. */
  readonly free: number;
  /** Milliseconds until one more is free. */
  readonly reset: number;
}

export interface CountedSlot {
  readonly name: string;
  /** Milliseconds for which it is still taken. */
  readonly left: number;
}

/** Something counted by name, whose slots are written into the server again after a loss. */
export interface Counted {
  readonly kind: string;
  slots(): Iterable<{ readonly name: string; readonly slots: readonly CountedSlot[] }>;
}

/** The server does not have any more what was counted. */
export class CountsLost extends Error {
  override readonly name = 'CountsLost';
}

/** The server gave no answer in time; it may have done what it was asked. */
export class CountingTooSlow extends Error {
  override readonly name = 'CountingTooSlow';
}

/** What the server is asked. Each method throws CountsLost, CountingTooSlow, or what the connection says. */
export interface CountingServer {
  /** The marks of an epoch; `create`: those that are missing are made. Throws a sentence where the server does not suit. */
  open(namespace: string, create: boolean): Promise<Marks>;
  /** Throws CountsLost unless all marks are there. */
  check(namespace: string, marks: Marks): Promise<void>;
  take(place: Place, request: TakeRequest): Promise<TakeReply>;
  /** Takes slots whatever the limit: those that exist already are moved. */
  put(place: Place, slots: readonly CountedSlot[]): Promise<void>;
  release(place: Place, names: readonly string[]): Promise<void>;
  close(): void;
}
