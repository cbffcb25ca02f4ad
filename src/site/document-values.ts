// Values of the placeholders in documents, as Markdown: tiers, endpoints and lifetimes of this service.
import {
  EVENTS,
  FAILURES_PER_MINUTE,
  isTier,
  PUSH,
  type Tier,
  type TierPlan,
  type Tiers,
  tierName,
} from '../access/tiers/tiers.ts';
import type { Access } from '../http/frame/route.ts';
import { DAY, HOUR, MINUTE } from '../lib/clock.ts';

/** Milliseconds. */
export interface Lifetimes {
  readonly consentPage: number;
  readonly code: number;
  readonly accessToken: number;
  readonly refreshToken: number;
  readonly registration: number;
}

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
}

export interface DocumentFacts {
  readonly tiers: Tiers;
  readonly lifetimes: Lifetimes;
  readonly endpoints: readonly Endpoint[];
}

/** Placeholder -> the Markdown that replaces it. */
export function documentValues({
  tiers,
  lifetimes,
  endpoints,
}: DocumentFacts): Readonly<Record<string, string>> {
  return {
    'table of tiers': tierTable(tiers),
    'table of watcher limits': watcherTable(tiers),
    'table of endpoints': endpointTable(endpoints.filter((endpoint) => !isOpen(endpoint))),
    'open endpoints': endpoints
      .filter((endpoint) => isOpen(endpoint) && !/^\/docs\/.*\./.test(endpoint.path))
      .map((endpoint) => `\`${nameOf(endpoint)}\``)
      .join(', '),
    'refused credentials a minute': figure(FAILURES_PER_MINUTE),
    'table of push limits': pushTable(),
    'lifetime of the consent page': formatDuration(lifetimes.consentPage),
    'lifetime of a code': formatDuration(lifetimes.code),
    'lifetime of an access token': formatDuration(lifetimes.accessToken),
    'lifetime of a refresh token': formatDuration(lifetimes.refreshToken),
    'lifetime of a registration': formatDuration(lifetimes.registration),
  };
}

function tierTable(tiers: Tiers): string {
  const head =
    'Tier | Requests a minute | Requests a month | Results a page | Open streams | Live properties';
  return figureTable(head, tiers, ({ minute, month, page, streams, live }) => [
    figure(minute),
    figure(month),
    figure(page),
    figure(streams),
    live ? 'yes' : 'no',
  ]);
}

function pushTable(): string {
  const { requests, records, bytes, recordBytes, bodyBytes, bodyRecords } = PUSH;
  const rows: readonly (readonly [string, string])[] = [
    ['Requests in any 60 seconds', figure(requests)],
    ['Records in any 60 seconds', figure(records)],
    ['Bytes of records in any 60 seconds', figure(bytes)],
    ['Records of a body', figure(bodyRecords)],
    ['Bytes of a body', figure(bodyBytes)],
    ['Bytes of a record', figure(recordBytes)],
    ['Bytes of a body of events', figure(EVENTS.bodyBytes)],
    ['Listings that wait since events named them', figure(EVENTS.queued)],
  ];
  return ['| Each source | At most |', '| --- | ---: |', ...rows.map((cells) => row(...cells))].join('\n');
}

function watcherTable(tiers: Tiers): string {
  const head = 'Tier | Watchers | Fastest cadence | Open feeds | Live refresh every | Events an hour';
  return figureTable(head, tiers, ({ watchers, cadence, feeds, refresh, events }) => [
    figure(watchers),
    watchers === 0 ? '–' : cadence,
    figure(feeds),
    refresh === null ? 'never' : formatDuration(refresh),
    figure(events),
  ]);
}

/** A row for each tier, with these cells aligned to the right. */
function figureTable(head: string, tiers: Tiers, cells: (plan: TierPlan) => readonly string[]): string {
  const rows = (Object.entries(tiers) as [Tier, TierPlan][]).map(([tier, plan]) =>
    row(tier === 'anonymous' ? 'No credentials' : tierName(tier), ...cells(plan)),
  );
  const line = ['---', ...head.split('|').slice(1).fill('---:')];
  return [`| ${head} |`, row(...line), ...rows].join('\n');
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function figure(value: number | null): string {
  return value === null ? 'unlimited' : value.toLocaleString('en-US');
}

/** In the largest unit that divides it, such as `1 hour` or `90 seconds`. */
function formatDuration(milliseconds: number): string {
  const units = { day: DAY, hour: HOUR, minute: MINUTE, second: 1_000 };
  const [unit, size] = Object.entries(units).find(([, each]) => milliseconds % each === 0) ?? [
    'second',
    1_000,
  ];
  const count = milliseconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function isOpen({ access }: Endpoint): boolean {
  return access.credentials === 'none' && access.counts === 'nothing';
}

/** GET /v1/areas/{id} */
function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

function endpointTable(endpoints: readonly Endpoint[]): string {
  const rows = endpoints
    .toSorted((a, b) => rank(a.access) - rank(b.access))
    .map((endpoint) =>
      row(`\`${nameOf(endpoint)}\``, endpoint.summary, who(endpoint.access), COUNTED[endpoint.access.counts]),
    );
  return [
    '| Endpoint | What it does | Who may call it | Counted in |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

const COUNTED: Readonly<Record<Access['counts'], string>> = {
  nothing: 'nothing',
  minute: 'minute',
  month: 'minute, month',
  views: 'views of the explorer',
  homes: 'homes of the explorer',
  push: 'limits of the source',
  tiles: 'parts of the base map',
};

/** The required credentials, in words. */
function who({ credentials, tier, source }: Access): string {
  if (source === true) return 'Token of the source';
  if (credentials !== 'required') return 'Everybody';
  if (tier === undefined) return 'Any tier';
  return `${isTier(tier) ? tierName(tier) : tier} and above`;
}

/** Sort order: open to everybody first. */
function rank({ credentials, tier }: Access): number {
  if (credentials !== 'required') return 0;
  return tier === undefined ? 1 : 2;
}
