// Rules of a vendor's servers as data: what they refuse, how they page, and what they allow in a window of time.
import { readFileSync } from 'node:fs';

export interface QuotaWindow {
  readonly seconds: number;
  readonly requests: number;
  /** Names of headers that say how the window stands. */
  readonly headers?: { readonly limit: string; readonly remaining?: string; readonly reset?: string };
  /** How the end of the window is written: milliseconds or seconds since the epoch. */
  readonly resetIn?: 'milliseconds' | 'seconds';
}

export interface VendorRules {
  /** bearer: the client's secret is a token that never ends. */
  readonly authentication: 'client' | 'bearer';
  /** Texts that headers of a request must contain, by their names; anything else is a 400. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether every query must have exactly one comparison of OriginatingSystemName by eq. */
  readonly originatingSystem: boolean;
  /** Query options that are refused. */
  readonly refused: readonly string[];
  /** Fields that a filter may name; null: all. */
  readonly searchable: readonly string[] | null;
  readonly maxOr: number | null;
  readonly page: {
    /** top: $top is the size of a page; prefer: it is the number of all records. */
    readonly by: 'top' | 'prefer';
    readonly default: number;
    readonly max: number;
    /** The maximum where children are expanded. */
    readonly expanded: number;
    /** The maximum where only keys are selected. */
    readonly keys: number;
  };
  /** The order of records where none is requested. */
  readonly order: 'watermark' | 'key';
  /** The field that moves with every change. */
  readonly watermark: string;
  /** path: below Property/replication, with links in headers; parameter: replication=true, up to an empty page. */
  readonly replication: 'path' | 'parameter' | null;
  /** Seconds after which a link of replication is refused. */
  readonly linkLifetime: number | null;
  /** Field that is false for a week in records that left; null: they are missing at once. */
  readonly flag: string | null;
  readonly media: 'expand' | 'inline' | 'single-use';
  /** Resources that are served by themselves, and not with a listing. */
  readonly resources: readonly string[];
  readonly entities: boolean;
  readonly enumerations: 'plain' | 'annotated';
  /** Whether codes of errors are numbers. */
  readonly numericErrors: boolean;
  /** False: a query with $orderby is cancelled, since it takes too long. */
  readonly sorts: boolean;
  readonly windows: readonly QuotaWindow[];
  /** Whether a client that exceeds a window is refused from then on. */
  readonly suspends: boolean;
}

export const VENDORS = ['bridge', 'mlsgrid', 'spark', 'standard', 'trestle'] as const;
export type VendorName = (typeof VENDORS)[number];

export function readRules(name: VendorName): VendorRules {
  return JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8')) as VendorRules;
}
