// Reader of the tiers file: the operator's own numbers as JSON, with every fault reported at once.
import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { withoutByteOrderMark } from '../../lib/parse.ts';
import { CADENCES, isTier, TIERS, type TierPlan, type Tiers } from './tiers.ts';

/** What each number may be: a schema, and the same in words. */
const FIELDS = {
  minute: unlimitedOr(wholeNumber(1, 10_000_000)),
  month: unlimitedOr(wholeNumber(1, 2_000_000_000)),
  page: wholeNumber(1, 1_000),
  streams: wholeNumber(0, 100_000),
  live: { schema: Type.Boolean(), words: 'true or false' },
  watchers: unlimitedOr(wholeNumber(0, 1_000_000)),
  cadence: { schema: Type.Enum([...CADENCES]), words: `one of ${CADENCES.join(', ')}` },
  feeds: wholeNumber(0, 100_000),
  refresh: {
    ...unlimitedOr(wholeNumber(60, 2_592_000)),
    words: 'whole seconds from 60 to 2592000, or null for never',
  },
  events: unlimitedOr(wholeNumber(0, 1_000_000_000)),
} as const satisfies Record<keyof TierPlan, unknown>;

/** Reads a tiers file over the built-in table; throws one Error that names every fault in it. */
export async function readTiersFile(path: string): Promise<Tiers> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`The tiers file ${path} cannot be read`, { cause });
  });
  const content = parse(text, path);
  const faults = findTierFaults(content);
  if (faults.length > 0) throw new Error(`The tiers file ${path} has faults:\n  ${faults.join('\n  ')}`);
  const overrides = content as Partial<Record<string, Partial<TierPlan>>>;
  const entries = Object.entries(TIERS).map(([tier, plan]) => [
    tier,
    { ...plan, ...toPlan(overrides[tier]) },
  ]);
  return Object.fromEntries(entries) as Tiers;
}

/** Limits of callers without credentials that are looser than the built-in ones, in words. */
export function looserAnonymousLimits({ anonymous }: Tiers): readonly string[] {
  const limits = [
    ['minute', 'requests a minute'],
    ['month', 'requests a month'],
    ['page', 'results a page'],
  ] as const;
  return limits.flatMap(([name, unit]) => {
    const [value, standard] = [anonymous[name], TIERS.anonymous[name]];
    const isLooser = (value ?? Number.POSITIVE_INFINITY) > (standard ?? Number.POSITIVE_INFINITY);
    return isLooser ? [`${value ?? 'unlimited'} ${unit} instead of ${standard}`] : [];
  });
}

/** The members of a valid file state `refresh` in seconds, as settings do. */
function toPlan(members: Partial<TierPlan> = {}): Partial<TierPlan> {
  const { refresh } = members;
  return typeof refresh === 'number' ? { ...members, refresh: refresh * 1_000 } : members;
}

/** Every fault of a parsed tiers file as a sentence; empty when it is valid. */
export function findTierFaults(content: unknown): string[] {
  if (!isObject(content))
    return ['the file must contain one object, with a member for each tier that it changes'];
  return Object.entries(content).flatMap(([tier, numbers]) => {
    if (!isTier(tier)) return [`${tier}: no such tier; the tiers are ${Object.keys(TIERS).join(', ')}`];
    if (!isObject(numbers)) return [`${tier}: must be an object`];
    return Object.entries(numbers).flatMap(([field, value]) => fieldFaults(tier, field, value));
  });
}

function fieldFaults(tier: string, field: string, value: unknown): string[] {
  if (!Object.hasOwn(FIELDS, field)) {
    return [`${tier}.${field}: no such member; a tier has ${Object.keys(FIELDS).join(', ')}`];
  }
  const { schema, words } = FIELDS[field as keyof TierPlan];
  return Value.Check(schema, value) ? [] : [`${tier}.${field}: must be ${words}`];
}

function unlimitedOr({ schema, words }: ReturnType<typeof wholeNumber>) {
  return { schema: Type.Union([schema, Type.Null()]), words: `${words}, or null for unlimited` };
}

function wholeNumber(minimum: number, maximum: number) {
  return {
    schema: Type.Integer({ minimum, maximum }),
    words: `a whole number from ${minimum} to ${maximum}`,
  };
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch (cause) {
    throw new Error(`The tiers file ${path} is not JSON`, { cause });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
