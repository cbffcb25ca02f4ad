// Checks of `freehold doctor` on the feed: what the process that reads it reported, and values that keep listings from being shown.

import type { Config } from '../../config.ts';
import type { Database } from '../../postgres/client/database.ts';
import { configuredSource } from '../../sources/abandoned.ts';
import { findControls } from '../../sources/control-store.ts';
import { findComparison } from '../../sources/reconcile/reconcile-store.ts';
import { REFUSED } from '../../sources/reconcile/reconciler.ts';
import { findResoSources } from '../../sources/registry/registry-store.ts';
import { findReport } from '../../sources/report-store.ts';
import { REFUSED_PART, refusedPartsText, type ValueCount } from '../../sources/value-counts.ts';
import { count } from '../output.ts';
import { FAULT_REMEDIES, type Finding, fail, ok, warn } from './doctor-checks.ts';

const RETRIES = 'The service goes on trying. Its log has the cause.';
/** Values that plainly say no, in JSON. */
const NO: readonly string[] = ['false', '0', '"false"', '"no"', '"n"', '"0"'];
const MAX_SHOWN = 10;

/** The source of the settings, and those that are set up in the database. */
export async function checkFeed({ source }: Pick<Config, 'source'>, database: Database): Promise<Finding[]> {
  const own = configuredSource(source);
  const registered = (await database.read(findResoSources)).map(({ id }) => id).filter((id) => id !== own);
  const findings = own === null ? [] : await checkFeedOf(own, database);
  for (const id of registered)
    for (const finding of await checkFeedOf(id, database))
      findings.push({ ...finding, name: `${finding.name} of ${id}` });
  return findings;
}

async function checkFeedOf(id: string, database: Database): Promise<Finding[]> {
  const report = await database.read((sql) => findReport(sql, id));
  const paused = (await database.read(findControls)).get(id)?.pausedAt ?? null;
  if (paused !== null)
    return [
      warn('feed', `paused since ${paused}`, `\`freehold sources resume ${id}\` lets it be read again.`),
    ];
  const comparison = await database.read((sql) => findComparison(sql, id));
  const doubted = comparison?.outcome.refused ?? null;
  const refusal =
    doubted === null
      ? []
      : [
          fail(
            'deletions',
            `${REFUSED} since ${comparison?.outcome.endedAt}: ${doubted}`,
            `${FAULT_REMEDIES[REFUSED]} If they are really gone: \`freehold sources reconcile ${id} --accept\`.`,
          ),
        ];
  if (report === null) return refusal;
  const { failure, detail, failingSince, withheld, sample } = report;
  const record = sample === null ? '' : ` A record: ${sample}`;
  const text = `${failure} since ${failingSince}${detail === null ? '' : `: ${detail}`}${record}`;
  const remedy = Object.entries(FAULT_REMEDIES).find(([fault]) => fault === failure)?.[1];
  return [
    failure === null ? ok('feed', 'read to its end') : fail('feed', text, remedy ?? RETRIES),
    ...refusal,
    ...withheldFindings(withheld),
  ];
}

function withheldFindings(counts: readonly ValueCount[]): Finding[] {
  const withheld = counts.filter(({ field }) => field !== REFUSED_PART);
  const refused = refusedPartsText(counts);
  const isPlain = ({ field, value }: ValueCount) =>
    field !== 'PropertyType' && NO.includes(value.toLowerCase());
  const types = withheld.filter(({ field }) => field === 'PropertyType');
  const odd = withheld.filter((each) => !types.includes(each) && !isPlain(each));
  const plain = withheld.filter(isPlain);
  return [
    ...(refused === null
      ? []
      : [
          warn(
            'parts of listings',
            `${refused}, so that listings come without`,
            'Ask the operator of the feed to allow it for your account.',
          ),
        ]),
    ...(plain.length > 0 ? [ok('display rules', describe(plain))] : []),
    ...(odd.length > 0
      ? [
          warn(
            'display rules',
            `neither yes nor no, so that it is withheld: ${describe(odd)}`,
            'Ask the operator of the feed what these values mean.',
          ),
        ]
      : []),
    ...(types.length > 0
      ? [
          warn(
            'property types',
            `unknown, so that their listings are withheld: ${describe(types)}`,
            'Ask the operator of the feed whether these are for sale or for rent.',
          ),
        ]
      : []),
  ];
}

function describe(values: readonly ValueCount[]): string {
  const shown = values
    .slice(0, MAX_SHOWN)
    .map(({ field, value, listings }) => `${field} ${value} (${count(listings)})`);
  const more = values.length - shown.length;
  return [...shown, ...(more > 0 ? [`${count(more)} more`] : [])].join(', ');
}
