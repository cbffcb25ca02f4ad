// Targets of type market: their schema, read strictly from a body, and looked up.

import { type TObject, Type } from 'typebox';
import type { Principal } from '../access/tiers/tiers.ts';
import { compileJsonQuery } from '../http/input/json-query.ts';
import { ofMembers } from '../http/input/parameter-problem.ts';
import { nearest } from '../lib/nearest.ts';
import { type FieldError, faultSentence, Problem, pointerTo } from '../lib/problem.ts';
import {
  LISTING_TYPES,
  type ListingType,
  PROPERTY_TYPES,
  type PropertyType,
} from '../listings/vocabulary.ts';
import type { FigureInterpretation, MarketFigures } from '../market/figure.ts';
import { WINDOW_PATTERN } from '../market/parameters.ts';
import { propertyType } from '../search/query/filter-parameters.ts';
import {
  figureOf,
  isChange,
  type MarketTarget,
  type NewCondition,
  OPERATORS,
  type Operator,
} from './market/condition.ts';

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });

/** Largest number to compare with: larger ones are not exact. */
const MAX_VALUE = 1e12;

const members = {
  areaId: Type.String({ minLength: 1, maxLength: 200, description: 'The id of an area.' }),
  listingType: oneOf<ListingType>(LISTING_TYPES, 'Listing type of the figure.'),
  metric: Type.String({
    maxLength: 60,
    description: 'The id of a metric of GET /v1/market/metrics, such as `median_list_price`.',
  }),
  propertyType: oneOf<PropertyType>(PROPERTY_TYPES, 'Only homes of this type.'),
  bedrooms: Type.Integer({ minimum: 0, maximum: 1_000, description: 'Only homes with so many bedrooms.' }),
  currency: Type.String({
    pattern: '^[A-Za-z]{3}$',
    description:
      'ISO 4217. Needed only where prices of the area are in several currencies and none is clearly meant.',
  }),
};
const OPTIONAL = ['propertyType', 'bedrooms', 'currency'] as const;

const conditionMembers = {
  op: oneOf<Operator>(
    OPERATORS,
    'Whether the figure is above or below `value`, or its change in percent, from one `window` to the next, is.',
  ),
  value: Type.Number({
    minimum: -MAX_VALUE,
    maximum: MAX_VALUE,
    description: 'In the unit of the metric; of a change in percent: -3 is 3 % less.',
  }),
  window: Type.String({
    pattern: WINDOW_PATTERN,
    description: 'Days of each of the two windows, such as P30D. Required for changes, and only for them.',
  }),
};

const withOptional = (properties: TObject['properties'], names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      names.includes(name) ? Type.Optional(schema) : schema,
    ]),
  );

/** The target as documented. */
export const MarketTargetSchema = Type.Object(
  {
    type: Type.Literal('market'),
    ...withOptional(members, OPTIONAL),
    condition: Type.Object(withOptional(conditionMembers, ['window']), { additionalProperties: false }),
  },
  { additionalProperties: false, description: 'A figure of an area that crosses into a condition.' },
);

// What is missing is found by `requireMembers`, which gives an example of it.
const readMembers = compileJsonQuery(Type.Partial(Type.Object({ ...members, propertyType })));
const readCondition = compileJsonQuery(Type.Partial(Type.Object(conditionMembers)));

/** Reads a target. Throws INVALID_PARAMETER or INVALID_BODY with pointers to its members. */
export function readMarketTarget({
  type: _,
  condition,
  ...rest
}: Readonly<Record<string, unknown>>): MarketTarget {
  const target = within('/target', rest, readMembers);
  requireMembers(
    '/target',
    target,
    Object.keys(members).filter((name) => !OPTIONAL.some((o) => o === name)),
  );
  const parsed = within('/target/condition', condition, readCondition) as MarketTarget['condition'];
  requireMembers('/target/condition', parsed, ['op', 'value']);
  checkWindow(parsed);
  return { type: 'market', ...target, condition: parsed } as MarketTarget;
}

function within(
  pointer: string,
  body: unknown,
  read: (body: unknown) => Record<string, unknown>,
): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid(pointer, 'is required: an object such as {"op":"below","value":500000}');
  try {
    checkWindowText(body);
    return read(body);
  } catch (error) {
    throw error instanceof Problem ? ofMembers(error, pointer) : error;
  }
}

const EXAMPLES: Readonly<Record<string, string>> = {
  areaId: 'the id of an area; GET /v1/areas?q= finds it by name',
  listingType: LISTING_TYPES.join(' or '),
  metric: 'the id of a metric; GET /v1/market/metrics lists all',
  op: `one of ${OPERATORS.join(', ')}`,
  value: 'a number to compare the figure with',
};

function requireMembers(pointer: string, sent: object, names: readonly string[]): void {
  const missing = names.find((name) => !Object.hasOwn(sent, name));
  if (missing !== undefined) throw invalid(pointerTo(missing, pointer), `is required: ${EXAMPLES[missing]}`);
}

/** Windows that are suggested for others. */
const WINDOWS = ['P7D', 'P14D', 'P30D', 'P90D', 'P180D', 'P365D'] as const;
const DAYS_OF: Readonly<Record<string, number>> = { D: 1, W: 7, M: 30, Y: 365 };

function checkWindowText(body: object): void {
  const window = 'window' in body ? body.window : undefined;
  if (window === undefined || (typeof window === 'string' && new RegExp(WINDOW_PATTERN).test(window))) return;
  throw invalid('/window', 'must be a number of days from P1D to P999D', suggestWindow(String(window)));
}

/** P1Y: P365D; 30d: P30D. */
function suggestWindow(text: string): string | undefined {
  const [, count = '', unit = ''] = /^P?(\d{1,4})([DWMY])$/i.exec(text) ?? [];
  const days = Number(count) * (DAYS_OF[unit.toUpperCase()] ?? 0);
  return days >= 1 && days <= 999 ? `P${days}D` : nearest(text.toUpperCase().slice(0, 20), WINDOWS);
}

function checkWindow({ op, window }: MarketTarget['condition']): void {
  if (isChange(op) && window === undefined)
    throw invalid(
      '/target/condition/window',
      `is required for ${op}: the days that are compared, such as P30D`,
    );
  if (isChange(op) || window === undefined) return;
  const suggestion: Operator = op === 'above' ? 'change_percent_above' : 'change_percent_below';
  throw invalid(
    '/target/condition/window',
    `is of changes only: remove it, or use ${suggestion} to compare two windows`,
  );
}

function invalid(pointer: string, detail: string, suggestion?: string): Problem {
  const error: FieldError = suggestion === undefined ? { pointer, detail } : { pointer, detail, suggestion };
  return new Problem('INVALID_BODY', faultSentence(`The member ${pointer.slice(1)}`, error), {
    errors: [error],
  });
}

export interface ResolvedMarketTarget {
  readonly interpretation: FigureInterpretation;
  readonly condition: NewCondition;
}

/** Looks up what a target names. Throws INVALID_PARAMETER for an area, metric or currency that there is not. */
export async function resolveMarketTarget(
  figures: MarketFigures,
  target: MarketTarget,
  { reach, subscription }: Pick<Principal, 'reach' | 'subscription'>,
  now: number,
): Promise<ResolvedMarketTarget> {
  const figure = figureOf(target, subscription !== null);
  const { op, value: threshold } = target.condition;
  try {
    const interpretation = await figures.interpret(figure, now, reach);
    const { currency } = interpretation;
    return { interpretation, condition: { figure: { ...figure, currency }, op, threshold } };
  } catch (error) {
    throw error instanceof Problem ? ofMembers(error, '/target') : error;
  }
}
