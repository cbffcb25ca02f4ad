// Command `freehold sources test`: what the server of a source offers, with the operator's credentials. It writes nothing.

import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { systemClock } from '../../lib/clock.ts';
import { createOutbound } from '../../lib/outbound.ts';
import { parseJson } from '../../lib/parse.ts';
import type { ListingDraft } from '../../listings/draft.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { LookupAnswer } from '../../sources/lookups/source-lookups.ts';
import { isRecord } from '../../sources/reso/mapping/decode.ts';
import { PROPERTY_FIELDS } from '../../sources/reso/mapping/property-fields.ts';
import { profileNames, readProfile, STANDARD } from '../../sources/reso/profiles/profile.ts';
import type { Profile } from '../../sources/reso/profiles/profile-schema.ts';
import { type Match, recognize } from '../../sources/reso/profiles/recognize.ts';
import { propertyShape } from '../../sources/reso/transport/metadata.ts';
import { LiveError, type SourcePage } from '../../sources/source.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, emphasis, print, printJson } from '../output.ts';
import { notSetUp } from './reading.ts';
import { durationText } from './status-text.ts';
import { findTargets, type Target, withUsableDatabase } from './target.ts';

export function addProbe(group: Command): void {
  group
    .command('test <id>')
    .summary('see what the server of a source offers')
    .description(
      'Connects to the server of a source with its credentials: which profile fits, what it offers and lacks, how many records it\n' +
        'has, one as it would be stored, and how long a first load will take. It reads one page and writes nothing.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold sources test abor', 'freehold sources test reso --json'))
    .action((id: string, { json }: { readonly json?: true }) => probe(id, json));
}

interface Probed {
  readonly id: string;
  readonly url: string;
  readonly profile: string;
  /** Profiles that fit best: those with most signs, or that of servers of which nothing particular is known. */
  readonly fits: readonly string[];
  /** What speaks for which profile. */
  readonly signs: readonly Match[];
  /** False: $metadata lacks the field by which the profile follows changes. */
  readonly hasWatermark: boolean;
  /** Null: the server has no readable $metadata. */
  readonly metadata: {
    readonly fields: number;
    readonly expandable: readonly string[];
    /** Fields that are read where a server has them. */
    readonly lacks: readonly string[];
  } | null;
  /** Null: the server does not say. */
  readonly records: number | null;
  /** What came of the first page of lookups; null: the profile reads none. */
  readonly lookups: (Pick<LookupAnswer, 'state' | 'detail'> & { readonly values: number }) | null;
  readonly firstPage: { readonly records: number; readonly milliseconds: number };
  /** Null: it cannot be computed. */
  readonly firstLoadSeconds: number | null;
  readonly unreadable: Readonly<Record<string, number>>;
  readonly sample: ListingDraft | null;
}

async function probe(id: string, json: true | undefined): Promise<void> {
  const config = readConfig();
  const probed = await withUsableDatabase(config, async (database) => {
    const target = (await findTargets(config, database)).find((each) => each.id === id);
    if (target === undefined) throw await withDatabase(config, (database) => notSetUp(database, id));
    return read(target, database).catch((error: unknown) => {
      if (!(error instanceof LiveError)) throw error;
      throw new CommandFailure(`${target.url}: ${error.fault ?? error.code}: ${error.message}`);
    });
  });
  if (json) printJson(probed);
  else show(probed);
}

async function read({ id, url, profile, open }: Target, database: Database | null): Promise<Probed> {
  let edmx: string | null = null;
  let hasNumericErrors = false;
  const headers = new Set<string>();
  const outbound = createOutbound({ clock: systemClock });
  const source = await open({
    database,
    clock: systemClock,
    // The source itself asks for its metadata: this looks at what comes.
    outbound: {
      ...outbound,
      async send(request) {
        const answer = await outbound.send(request);
        for (const name of Object.keys(answer.headers)) headers.add(name.toLowerCase());
        if (answer.status >= 400) hasNumericErrors ||= isNumericError(answer.body);
        if (answer.status === 200 && new URL(request.url).pathname.endsWith('/$metadata'))
          edmx = answer.body.toString('utf8');
        return answer;
      },
    },
  });
  const ended = new AbortController();
  try {
    const startedAt = systemClock.monotonic();
    let page: SourcePage | null = null;
    for await (const first of source.pages(null, ended.signal)) {
      page = first;
      break;
    }
    const milliseconds = Math.round(systemClock.monotonic() - startedAt);
    const lookups = (await source.lookups?.read(null, ended.signal, 1)) ?? null;
    const shape = edmx === null ? null : propertyShape(edmx);
    const fields = shape?.fields ?? null;
    const records = (page?.drafts.length ?? 0) + (page?.skipped ?? 0);
    const total = page?.total ?? (page?.last ? records : null);
    const host = new URL(url).hostname;
    const signs = recognize(allProfiles(), { host, fields, headers, hasNumericErrors });
    return {
      id,
      url,
      profile: profile.name,
      fits: bestOf(signs),
      signs,
      hasWatermark: fields === null || fields.has(profile.watermark.field),
      metadata:
        fields === null || shape === null
          ? null
          : {
              fields: fields.size,
              expandable: [...shape.expandable].toSorted(),
              lacks: PROPERTY_FIELDS.filter((field) => !fields.has(field)),
            },
      records: total,
      lookups: lookups && {
        state: lookups.state,
        detail: lookups.state === 'read' ? null : lookups.detail,
        values: lookups.lookups.filter(({ origin }) => origin === 'resource').length,
      },
      firstPage: { records, milliseconds },
      firstLoadSeconds:
        total === null || records === 0
          ? null
          : Math.ceil((total / records) * pageSeconds(profile, milliseconds)),
      unreadable: Object.fromEntries(source.fieldErrors),
      sample: withoutRaw(page?.drafts[0] ?? null),
    };
  } finally {
    ended.abort();
    await source.close();
  }
}

function withoutRaw(draft: ListingDraft | null): ListingDraft | null {
  if (draft === null) return null;
  const { raw: _, ...mapped } = draft;
  return mapped;
}

/** Seconds that a page takes: the server's own, or what its limits allow, whichever is longer. */
const pageSeconds = ({ limits }: Profile, milliseconds: number): number =>
  Math.max(
    milliseconds / 1_000,
    ...limits.windows.map(({ seconds, requests }) => (requests === undefined ? 0 : seconds / requests)),
  );

/** Members without which the profile of a vendor cannot be read. */
const OF_ANY = { originatingSystem: 'any' };
const allProfiles = (): readonly Profile[] => profileNames().map((name) => readProfile(name, OF_ANY));

/** The profiles with most signs. */
function bestOf(signs: readonly Match[]): readonly string[] {
  const most = signs[0]?.signs.length ?? 0;
  return most === 0
    ? [STANDARD]
    : signs.filter((each) => each.signs.length === most).map((each) => each.profile);
}

function isNumericError(body: Buffer): boolean {
  const error = parseJson(body.toString('utf8'));
  return isRecord(error) && isRecord(error.error) && typeof error.error.code === 'number';
}

const MAX_LACKS = 12;

function show(probed: Probed): void {
  const { metadata, records, firstPage, firstLoadSeconds, sample } = probed;
  const unreadable = Object.entries(probed.unreadable).map(([field, times]) => `${field} (${count(times)})`);
  const lines: readonly (readonly [string, string | null])[] = [
    ['server', `${probed.url} accepts the credentials`],
    ['profile', profileText(probed)],
    [
      'metadata',
      metadata === null
        ? 'none that can be read: fields are not selected'
        : `${count(metadata.fields)} fields of Property; can be expanded: ${metadata.expandable.join(', ') || 'nothing'}`,
    ],
    ['lacks', metadata === null || metadata.lacks.length === 0 ? null : listText(metadata.lacks)],
    ['records', recordsText(records)],
    ['lookups', probed.lookups && lookupsText(probed.lookups)],
    ['first page', `${count(firstPage.records)} records in ${firstPage.milliseconds} ms`],
    ['first load', firstLoadSeconds === null ? null : `about ${durationText(firstLoadSeconds)}`],
    ['unreadable', unreadable.length === 0 ? null : unreadable.join(', ')],
  ];
  for (const [label, text] of lines)
    if (text !== null) print(process.stdout, `${emphasis('quiet', label.padEnd(10))}  ${text}`);
  if (sample !== null)
    print(process.stdout, `${emphasis('quiet', 'a record')}\n${JSON.stringify(sample, null, 2)}`);
}

function recordsText(records: number | null): string {
  if (records === null) return 'the server does not say how many';
  if (records > 0) return count(records);
  return '0: the credentials show none; check the url, originatingSystem, and what the token may read';
}

/** Whether the profile fits, and what speaks for another one. */
function profileText({ profile, fits, signs, hasWatermark }: Probed): string {
  const reasons = (name: string): string =>
    signs.find((match) => match.profile === name)?.signs.join(', ') ?? 'nothing particular';
  if (!hasWatermark)
    return `${profile} does not fit: $metadata has no ${readProfile(profile, OF_ANY).watermark.field}${otherText(profile, fits, reasons)}`;
  if (fits.includes(profile)) return `${profile} fits (${reasons(profile)})`;
  return `${profile} may not fit${otherText(profile, fits, reasons)}`;
}

function otherText(profile: string, fits: readonly string[], reasons: (name: string) => string): string {
  const others = fits.filter((name) => name !== profile).map((name) => `${name} (${reasons(name)})`);
  return others.length === 0 ? '' : `; it looks like ${others.join(' or ')}`;
}

const lookupsText = ({ state, detail, values }: NonNullable<Probed['lookups']>): string =>
  state === 'read'
    ? `the server has them: ${count(values)} values that are mapped on their first page`
    : state === 'absent'
      ? 'the server has none'
      : `${state}: ${detail}`;

const listText = (names: readonly string[]): string =>
  names.length <= MAX_LACKS
    ? names.join(', ')
    : `${names.slice(0, MAX_LACKS).join(', ')} and ${count(names.length - MAX_LACKS)} more`;
