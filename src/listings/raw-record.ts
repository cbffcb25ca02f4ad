// Raw record: what a source sent of a listing, before it was mapped.

/** A record with its children, without what must not be kept. */
export interface RawRecord {
  /** As the source calls it: Property, or Media where photos are a resource of their own. */
  readonly resource: string;
  readonly record: Readonly<Record<string, unknown>>;
}
