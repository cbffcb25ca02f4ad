// Routes of /odata: the service's metadata, its properties one by one or in pages, and its lookups.
import { type Answer, json } from '../answer.ts';
import type { RequestKind } from '../faults.ts';
import type { Listing } from '../market/listing.ts';
import type { World } from '../world.ts';
import { type LookupRow, lookupRows, type Spelling } from './lookups.ts';
import type { Column, Columns } from './match.ts';
import { metadataXml, OWN_METADATA } from './metadata.ts';
import { preferredPageSize, type Query, readQuery } from './options.ts';
import { MAX_PAGE, type Page, takePage } from './page.ts';
import { badRequest, ODataError } from './problem.ts';
import { checkNames, propertyColumns, recordOf, type View } from './property.ts';

export interface SampleView {
  readonly world: World;
  readonly spelling: Spelling;
  readonly baseUrl: string;
  readonly photosUrl: string;
}

const HEADERS = { 'OData-Version': '4.0' };
const ENTITY = /^\/odata\/Property\(([^)]*)\)$/;

export function kindOf(path: string): RequestKind {
  if (path === '/oauth/token') return 'token';
  if (path === '/odata/Property' || path === '/odata/Property/replication') return 'collection';
  if (path === '/odata/Lookup') return 'lookup';
  if (path.toLowerCase() === '/odata/$metadata' || path.toLowerCase() === '/odata/%24metadata')
    return 'metadata';
  if (path.startsWith('/odata/Property(')) return 'entity';
  if (path.startsWith('/photos/')) return 'photos';
  return path === '/areas.geojson' ? 'areas' : 'other';
}

/** Answers a GET under /odata. `mistaken` answers about another listing than the one asked for. */
export function answerOData(
  target: URL,
  prefer: string | undefined,
  view: SampleView,
  mistaken = false,
): Answer {
  switch (kindOf(target.pathname)) {
    case 'metadata':
      return {
        status: 200,
        headers: { ...HEADERS, 'Content-Type': 'application/xml; charset=utf-8' },
        body: metadataXml(OWN_METADATA),
      };
    case 'lookup':
      return lookupPage(target, prefer, view);
    case 'collection':
      return propertyPage(target, prefer, view, mistaken);
    case 'entity':
      return propertyEntity(target, view, mistaken);
    default:
      throw new ODataError(404, 'NotFound', 'No such resource; served are Property, Lookup and $metadata');
  }
}

export function viewOf({ world, spelling, baseUrl, photosUrl }: SampleView): View {
  const { market } = world;
  return {
    spelling,
    context: { neighborhoods: market.land.neighborhoods, now: market.lastAt, baseUrl, photosUrl },
  };
}

function propertyEntity(target: URL, sample: SampleView, mistaken: boolean): Answer {
  const key = readKey(target.pathname);
  const query = readQuery(target.searchParams, ['$select', '$expand']);
  checkNames(query);
  const found = sample.world.market.find(key);
  const listing = mistaken ? otherThan(sample, key) : found;
  if (!listing) throw new ODataError(404, 'NotFound', `There is no Property with the key ${key}`);
  const context = `${sample.baseUrl}/odata/$metadata#Property/$entity`;
  return json(200, { '@odata.context': context, ...recordOf(listing, query, viewOf(sample)) }, HEADERS);
}

/** The key in `Property('…')`: percent-encoding undone, doubled quotes made single. */
export function readKey(path: string): string {
  let plain: string;
  try {
    plain = decodeURIComponent(path);
  } catch {
    throw badRequest('The address is not well percent-encoded');
  }
  const inside = ENTITY.exec(plain)?.[1];
  const quoted = /^'((?:[^']|'')+)'$/.exec(inside ?? '')?.[1];
  if (quoted === undefined)
    throw badRequest("The key of Property is a text: Property('…'), with quotes in it doubled");
  return quoted.replaceAll("''", "'");
}

function otherThan(sample: SampleView, key: string): Listing | undefined {
  for (const listing of sample.world.market.visible()) if (listing.key !== key) return listing;
  return undefined;
}

function propertyPage(
  target: URL,
  prefer: string | undefined,
  sample: SampleView,
  mistaken: boolean,
): Answer {
  const query = readQuery(target.searchParams, [
    '$filter',
    '$orderby',
    '$select',
    '$expand',
    '$top',
    '$count',
    '$skiptoken',
  ]);
  checkNames(query);
  const view = viewOf(sample);
  const wanted = preferredPageSize(prefer);
  const page = takePage(sample.world.market.visible(), query, propertyColumns(view), 'ListingKey', wanted);
  const rows = mistaken ? page.rows.map((row) => otherThan(sample, row.key) ?? row) : page.rows;
  // Written one by one: a page of a thousand records is large enough as text alone.
  const value = rows.map((row) => JSON.stringify(recordOf(row, query, view)));
  return pageAnswer('Property', target, sample, page, value, wanted);
}

function lookupPage(target: URL, prefer: string | undefined, sample: SampleView): Answer {
  const query = readQuery(target.searchParams, [
    '$filter',
    '$orderby',
    '$select',
    '$top',
    '$count',
    '$skiptoken',
  ]);
  const wanted = preferredPageSize(prefer);
  const page = takePage(lookupRows, query, lookupColumns, 'LookupKey', wanted);
  const value = page.rows.map((row) => JSON.stringify(selected(row, query)));
  return pageAnswer('Lookup', target, sample, page, value, wanted);
}

const lookupColumns: Columns<LookupRow> = (name) => {
  const [sample] = lookupRows;
  if (!sample || !Object.hasOwn(sample, name)) throw badRequest(`Lookup has no field ${name}`);
  const field = name as keyof LookupRow;
  const timed = field === 'ModificationTimestamp';
  const column: Column<LookupRow> = {
    name,
    type: timed ? 'DateTimeOffset' : 'String',
    many: false,
    read: (row) => (timed ? Date.parse(row.ModificationTimestamp) : row[field]),
  };
  return column;
};

function selected(row: LookupRow, query: Query): Partial<LookupRow> {
  if (!query.select) return row;
  for (const name of query.select) lookupColumns(name);
  return Object.fromEntries(Object.entries(row).filter(([name]) => query.select?.includes(name)));
}

/** `value` holds the records as JSON already. */
function pageAnswer(
  resource: string,
  target: URL,
  sample: SampleView,
  page: Page<unknown>,
  value: readonly string[],
  wanted: number | null,
): Answer {
  const members = [`"@odata.context":${JSON.stringify(`${sample.baseUrl}/odata/$metadata#${resource}`)}`];
  if (page.count !== null) members.push(`"@odata.count":${page.count}`);
  members.push(`"value":[${value.join(',')}]`);
  if (page.skipToken !== null) {
    members.push(`"@odata.nextLink":${JSON.stringify(nextLink(target, sample.baseUrl, page.skipToken))}`);
  }
  const applied: Record<string, string> =
    wanted === null ? {} : { 'Preference-Applied': `odata.maxpagesize=${Math.min(wanted, MAX_PAGE)}` };
  const headers = { 'Content-Type': 'application/json; charset=utf-8', ...HEADERS, ...applied };
  return { status: 200, headers, body: `{${members.join(',')}}` };
}

function nextLink(target: URL, baseUrl: string, skipToken: string): string {
  const parameters = new URLSearchParams(target.searchParams);
  parameters.set('$skiptoken', skipToken);
  return `${baseUrl}${target.pathname}?${parameters.toString()}`;
}
