// Server of a vendor: its listings behind its rules, on top of the sample's own OData.
import type { IncomingMessage } from 'node:http';
import { type Answer, errorAnswer, json } from '../answer.ts';
import { preferredPageSize, type Query, readQuery } from '../odata/options.ts';
import { servedBefore, takePage } from '../odata/page.ts';
import { badRequest, ODataError } from '../odata/problem.ts';
import { checkNames, type View } from '../odata/property.ts';
import { readKey, type SampleView, viewOf } from '../odata/routes.ts';
import type { TokenDesk } from '../token.ts';
import type { Clock, World } from '../world.ts';
import { VendorLookups } from './lookups.ts';
import { vendorMetadata } from './metadata.ts';
import { NO_QUIRKS, type Quirks } from './quirks.ts';
import { Quota } from './quota.ts';
import { byFormerNames, columnsOf, ownFields, type RecordParts, vendorRecord } from './records.ts';
import { requireFilter, requireHeaders, requireQuery, tooSlow } from './requirements.ts';
import { isOfResource, VendorResources } from './resources.ts';
import { VendorRows } from './rows.ts';
import { readRules, type VendorName, type VendorRules } from './rules.ts';
import { SingleUseUrls } from './single-use.ts';

export interface VendorParts {
  readonly name: VendorName;
  readonly world: World;
  readonly tokens: TokenDesk;
  /** Of servers with a fixed token. */
  readonly bearerToken: string;
  readonly clock: Clock;
}

const OPTIONS = [
  '$filter',
  '$orderby',
  '$select',
  '$expand',
  '$top',
  '$count',
  '$skiptoken',
  'replication',
  'PrettyEnums',
];
const MAX_KEY_FIELDS = 1;

export class Vendor {
  readonly rules: VendorRules;
  readonly quota: Quota;
  quirks: Quirks = NO_QUIRKS;
  readonly #parts: VendorParts;
  readonly #urls: SingleUseUrls;
  readonly #rows: VendorRows;
  /** What is served beside listings. */
  readonly resources: VendorResources;
  readonly lookups: VendorLookups;

  constructor(parts: VendorParts) {
    this.#parts = parts;
    this.rules = readRules(parts.name);
    this.quota = new Quota(this.rules, parts.clock);
    this.#urls = new SingleUseUrls(parts.clock);
    this.#rows = new VendorRows(parts.world, parts.clock, this.rules.flag !== null);
    this.lookups = new VendorLookups(parts.clock);
    this.resources = new VendorResources(this.#rows, this.lookups, parts.clock);
  }

  get #ownResources(): readonly string[] {
    return [...this.rules.resources, ...this.quirks.resources];
  }

  /** Moves the watermark of all listings to one moment, and changes nothing else. Returns how many they are. */
  touch(): number {
    return this.#rows.touch();
  }

  /** Answers a GET as the vendor would, errors included. */
  answer(request: IncomingMessage, target: URL, sample: SampleView): Answer {
    try {
      if (target.pathname.startsWith('/media/')) return this.#urls.answer(target.pathname);
      requireHeaders(request.headers, this.rules);
      this.#authenticate(request.headers.authorization);
      const disturbed = this.#disturbance();
      if (disturbed !== null) return disturbed;
      this.quota.take();
      const answer = this.#route(target, request.headers.prefer?.toString(), sample);
      return { ...answer, headers: { ...answer.headers, ...this.quota.headers() } };
    } catch (error) {
      return this.#errorOf(error);
    }
  }

  #authenticate(authorization: string | undefined): void {
    if (this.rules.authentication === 'client') this.#parts.tokens.check(authorization);
    else if (authorization !== `Bearer ${this.#parts.bearerToken}`)
      throw new ODataError(401, 'Unauthorized', 'The token is not known');
  }

  /** The answer in place of the right one, as long as a quirk has some left. */
  #disturbance(): Answer | null {
    const { gateway, refusals } = this.quirks;
    if (gateway !== null && gateway.requests > 0) {
      this.quirks = { ...this.quirks, gateway: { ...gateway, requests: gateway.requests - 1 } };
      const headers = { 'Content-Type': 'text/html' };
      return { status: gateway.status, headers, body: '<html>Gateway</html>' };
    }
    if (refusals === 0) return null;
    this.quirks = { ...this.quirks, refusals: refusals - 1 };
    throw new ODataError(429, 'TooManyRequests', 'Too many requests', { 'Retry-After': '7' });
  }

  #errorOf(error: unknown): Answer {
    const answer = errorAnswer(error);
    const { errors } = this.quirks;
    if (errors === 'html')
      return {
        ...answer,
        headers: { ...answer.headers, 'Content-Type': 'text/html' },
        body: '<html>Gateway</html>',
      };
    if (errors === 'text') return { ...answer, body: JSON.stringify({ error: 'no' }) };
    if (errors === 'success') return { ...answer, status: 200 };
    if (!this.rules.numericErrors || !(error instanceof ODataError)) return answer;
    const code = /^\d+$/.test(error.code)
      ? Number(error.code)
      : error.status === 429
        ? 1550
        : 1000 + error.status;
    return { ...answer, body: JSON.stringify({ error: { code, message: error.message } }) };
  }

  #route(target: URL, prefer: string | undefined, sample: SampleView): Answer {
    const path = target.pathname.replace(/^\/odata\//, '');
    const query = target.searchParams;
    const isReplication = path === 'Property/replication' || query.get('replication') === 'true';
    requireQuery(query, this.rules, isReplication);
    if (/^(?:\$|%24)metadata$/i.test(path))
      return vendorMetadata(this.rules, this.quirks, this.lookups.textOf);
    if (path === 'Lookup' && this.quirks.lookups === 'refused')
      throw new ODataError(403, 'Forbidden', 'Lookup may not be read with this token');
    if (path === 'Lookup' && this.quirks.lookups === 'served')
      return this.#resource(path, target, prefer, sample);
    if (path === 'Media' && this.quirks.deadMedia)
      throw new ODataError(500, 'Dead', 'Photos are not to be had');
    if (path === 'Media' || this.#ownResources.includes(path))
      return this.#resource(path, target, prefer, sample);
    if (path.startsWith('Property(')) return this.#entity(target, sample);
    if (path === 'Property' || (path === 'Property/replication' && this.rules.replication === 'path'))
      return this.#page(target, prefer, isReplication, sample);
    throw new ODataError(404, 'NotFound', 'No such resource');
  }

  #recordParts(view: View): RecordParts {
    return {
      rules: this.rules,
      view,
      quirks: this.quirks,
      stampOf: (listing) => this.#rows.stampOf(listing),
      isFlagged: (listing) => this.#rows.isFlagged(listing),
      textOf: this.lookups.textOf,
      sign: (media) => `${view.context.baseUrl}${this.#urls.sign(media)}`,
    };
  }

  #entity(target: URL, sample: SampleView): Answer {
    if (!this.rules.entities) throw badRequest('Single records are not served');
    const key = readKey(target.pathname);
    const query = byFormerNames(
      readQuery(target.searchParams, ['$select', '$expand', 'PrettyEnums']),
      this.quirks,
    );
    const listing = this.#rows.served(this.quirks.late).find((row) => row.key === key);
    if (listing === undefined)
      throw new ODataError(404, 'NotFound', `There is no Property with the key ${key}`);
    return json(200, vendorRecord(listing, query, this.#recordParts(viewOf(sample))));
  }

  #page(target: URL, prefer: string | undefined, isReplication: boolean, sample: SampleView): Answer {
    const { rules, quirks } = this;
    const [token, issued] = (target.searchParams.get('$skiptoken') ?? '').split('~');
    this.#requireFresh(token, issued);
    const plain = new URLSearchParams(target.searchParams);
    if (token) plain.set('$skiptoken', token);
    const query = byFormerNames(readQuery(plain, OPTIONS), quirks);
    const parts = this.#recordParts(viewOf(sample));
    const own = ownFields(rules);
    for (const name of [...(query.select ?? []), ...query.expand.keys()])
      if (isOfResource(name, this.#ownResources)) throw badRequest(`Property has no ${name}`);
    checkNames({
      ...query,
      select:
        query.select?.filter(
          (name) => !own.includes(name) && !(name === 'Media' && rules.media === 'inline'),
        ) ?? null,
    });
    const isOfKeys = query.select !== null && query.select.length <= MAX_KEY_FIELDS;
    const size = this.#sizeOf(query, isReplication, isOfKeys, prefer);
    if (quirks.slowAbove !== null && size > quirks.slowAbove) throw tooSlow(quirks.slowStatus);
    const natural =
      rules.order === 'watermark' || (isReplication && rules.replication === 'path')
        ? [{ field: rules.watermark, descending: false }]
        : [];
    const isTotal = rules.page.by === 'prefer' || quirks.topIsTotal;
    const isOfMany = /ListingKey (?:in|eq .* or )/.test(target.searchParams.get('$filter') ?? '');
    const page = takePage(
      quirks.ignoresKeys && isOfMany ? [] : this.#rows.served(this.quirks.late),
      {
        ...query,
        top: isTotal ? query.top : null,
        orderBy: query.orderBy.length > 0 ? query.orderBy : natural,
      },
      columnsOf(parts),
      'ListingKey',
      size,
      Number.POSITIVE_INFINITY,
    );
    const rows =
      quirks.unrelated && /ListingId/.test(target.search)
        ? this.#rows.served(this.quirks.late).slice(0, 1)
        : page.rows;
    const cut = isOfKeys && quirks.truncatedKeys !== null;
    const value = (cut ? rows.slice(0, quirks.truncatedKeys ?? 0) : rows).map((row) =>
      vendorRecord(row, query, parts),
    );
    // Replication by a parameter ends with an empty page: its last page with records has a link too.
    const follows =
      page.skipToken ??
      (isReplication && rules.replication === 'parameter' && value.length > 0 ? page.lastToken : null);
    const link =
      follows === null || cut ? null : this.#linkOf(target, sample.baseUrl, follows, isReplication);
    const isInHeader = isReplication && rules.replication === 'path';
    return json(
      200,
      {
        '@odata.context': `${sample.baseUrl}/odata/$metadata#Property`,
        ...(page.count === null ? {} : { '@odata.count': page.count }),
        value,
        ...(link === null || isInHeader ? {} : { '@odata.nextLink': link }),
      },
      link !== null && isInHeader ? { Link: `<${link}>; rel="next"` } : {},
    );
  }

  #sizeOf(query: Query, isReplication: boolean, isOfKeys: boolean, prefer: string | undefined): number {
    const { page, replication } = this.rules;
    const largest = query.expand.size > 0 ? page.expanded : isOfKeys ? page.keys : page.max;
    const max = isReplication && replication === 'path' ? 2_000 : largest;
    const wanted = page.by === 'top' && !this.quirks.topIsTotal ? query.top : preferredPageSize(prefer);
    if (page.by === 'top' && wanted !== null && wanted > max) throw badRequest(`$top may be at most ${max}`);
    return Math.min(wanted ?? page.default, max);
  }

  #linkOf(target: URL, baseUrl: string, token: string, isReplication: boolean): string {
    const link = new URL(target.pathname + target.search, baseUrl);
    const { linkLifetime } = this.rules;
    link.searchParams.set(
      '$skiptoken',
      isReplication && linkLifetime !== null ? `${token}~${this.#parts.clock()}` : token,
    );
    return link.href;
  }

  #requireFresh(token: string | undefined, issued: string | undefined): void {
    if (!token) return;
    const { skipWall } = this.quirks;
    if (skipWall !== null && servedBefore(token) > skipWall) throw badRequest('$skip is too large');
    const { linkLifetime } = this.rules;
    const isOld =
      issued !== undefined &&
      linkLifetime !== null &&
      this.#parts.clock() - Number(issued) > linkLifetime * 1_000;
    if (this.quirks.staleLinks > 0) this.quirks = { ...this.quirks, staleLinks: this.quirks.staleLinks - 1 };
    else if (!isOld) return;
    throw badRequest('The link is no longer known');
  }

  /** A page of a resource beside listings. */
  #resource(resource: string, target: URL, prefer: string | undefined, sample: SampleView): Answer {
    const { rules } = this;
    if (resource !== 'EntityEvent')
      requireFilter(target.searchParams.get('$filter'), { ...rules, searchable: null });
    const query = readQuery(target.searchParams, OPTIONS);
    const isTotal = rules.page.by === 'prefer' || this.quirks.topIsTotal;
    const page = this.resources.page(
      resource,
      { ...query, top: isTotal ? query.top : null },
      {
        listings: this.#rows.served(this.quirks.late),
        view: viewOf(sample),
        watermark: rules.watermark,
        size: this.#sizeOf(query, false, false, prefer),
      },
    );
    const link = page.skipToken === null ? null : this.#linkOf(target, sample.baseUrl, page.skipToken, false);
    return json(200, { value: page.records, ...(link === null ? {} : { '@odata.nextLink': link }) });
  }
}
