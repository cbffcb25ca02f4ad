// Rows of the tool table about markets: statistics of one period, over time, and of several areas.

import { currencyNote, dotted, number, objectOf, rowsOf, word } from './listing-text.ts';
import { type Json, READS, type ToolRow } from './tool-row.ts';
import { comparisonView, statsView } from './view-link.ts';

const HOMES = ['propertyType', 'bedrooms', 'minBedrooms', 'maxBedrooms', 'minPrice', 'maxPrice'];
const PLACE = ['listingType', 'areaId', 'city', 'neighborhood', 'postalCode'];

/** Metrics that short answers have, in the order of their weight. */
const METRICS = {
  rental: [
    'median_rent',
    'inventory',
    'median_days_on_market',
    'median_rent_per_area',
    'price_drop_share',
    'new_listings',
    'closed_listings',
    'median_age_of_inventory',
    'vacancy_days',
  ],
  sale: [
    'median_list_price',
    'median_close_price',
    'inventory',
    'median_days_on_market',
    'median_price_per_area',
    'months_of_supply',
    'sale_to_list_ratio',
    'price_drop_share',
    'new_listings',
    'closed_listings',
  ],
};

/** The first metrics of the listing type, where the call names none and wants a short answer. */
const metricsFor =
  (count: number): NonNullable<ToolRow['defaultsFor']> =>
  ({ metrics, listingType }, detail) => {
    if (metrics !== undefined || detail === 'full') return {};
    const isRental = typeof listingType === 'string' && listingType.toLowerCase() === 'rental';
    return { metrics: METRICS[isRental ? 'rental' : 'sale'].slice(0, count) };
  };

const FIGURE = ['value', 'n', 'unit', 'suppressed', 'period'];

/** A share as 4.5 %, money with its currency, counts as they are. */
function formatValue(value: unknown, unit: unknown, currency: unknown): string {
  if (typeof value !== 'number') return 'unknown';
  if (unit === 'share') return `${number(value * 100)} %`;
  if (unit === 'percent') return `${number(value)} %`;
  const [, area] = /^money(?:Per(\w+))?$/.exec(word(unit)) ?? [];
  if (!word(unit).startsWith('money')) return number(value);
  return `${word(currency)} ${number(value)}${area === undefined ? '' : ` per ${area.toLowerCase()}`}`.trim();
}

/** Relative changes in percent; of a share, what that makes in percentage points, since percent of percent misleads. */
function changeOf({ value, unit, change }: Json): string | null {
  const { previous, yearAgo } = objectOf(change);
  const changed = (by: unknown, since: string) => {
    if (typeof by !== 'number' || typeof value !== 'number') return null;
    const points = (value - value / (1 + by)) * (unit === 'share' ? 100 : 1);
    const isPercent = unit === 'share' || unit === 'percent';
    if (isPercent && !Number.isFinite(points)) return null;
    const amount = isPercent ? `${number(points)} percentage points` : `${number(by * 100)} %`;
    return `${by > 0 ? '+' : ''}${amount} ${since}`;
  };
  return dotted([changed(previous, 'to the period before'), changed(yearAgo, 'in a year')]) || null;
}

/** `2025-12-01 to 2025-12-31`, the last day included, as people write it. */
function daysOf({ start, end }: Json): string | null {
  if (typeof start !== 'string' || typeof end !== 'string') return null;
  if (start === end) return `as ${start} begins`;
  return `${start} to ${Temporal.PlainDate.from(end).subtract({ days: 1 })}`;
}

/** The days of a figure, unless they are those of the answer that contains it. */
function ownDays(figure: Json, period: Json): string | null {
  const days = objectOf(figure.period);
  return days.start === period.start && days.end === period.end ? null : daysOf(days);
}

/** `median_rent 2,250 (n 982 · as 2026-01-01 begins · -2 % to the period before)`. */
function figures(metrics: unknown, currency: unknown, period: Json): string[] {
  return Object.entries(objectOf(metrics)).map(([id, figure]) => {
    const { value, n, unit, suppressed } = objectOf(figure);
    if (suppressed === true)
      return `${word(id)} not shown: ${number(n)} ${n === 1 ? 'home is' : 'homes are'} too few`;
    const notes = [`n ${number(n)}`, ownDays(objectOf(figure), period), changeOf(objectOf(figure))];
    return `${word(id)} ${formatValue(value, unit, currency)} (${dotted(notes)})`;
  });
}

function headOf({ scope, period }: Json): string {
  const { listingType, areas, currency, currencyChoice } = objectOf(scope);
  const names = rowsOf(areas).map(({ name }) => word(name));
  const head = dotted([
    listingType === 'rental' ? 'Rentals' : 'Sales',
    names.length > 0 ? names.join(', ') : null,
    daysOf(objectOf(period)),
    word(currency),
  ]);
  const note = currencyNote(currency, currencyChoice);
  return note === '' ? head : `${head}\n${note}`;
}

const areaLinks = ({ scope }: Json) =>
  rowsOf(objectOf(scope).areas).map(({ id }) => ({ kind: 'area', id: String(id) }) as const);

const DROP = ['meta/definitions'];

export const MARKET_TOOLS: readonly ToolRow[] = [
  {
    name: 'get_market_stats',
    title: 'Market statistics of one period',
    description:
      'Computes prices, supply and pace of a market for a period, by default the last full month, of areas and kinds of homes; groupBy splits them by property type or bedrooms. get_market_history gives the same over time, compare_markets the same for several areas.',
    operation: 'getMarketStats',
    rows: 'groups',
    output: ['scope', 'period', 'metrics'],
    shown: [...PLACE, ...HOMES, 'from', 'to', 'metrics', 'groupBy', 'currency', 'units', 'limit', 'cursor'],
    defaults: { limit: 10 },
    defaultsFor: metricsFor(10),
    descriptions: { limit: 'Groups in the result.' },
    examples: [
      { listingType: 'rental', areaId: ['city-eastmark'], bedrooms: [2] },
      { listingType: 'sale', city: ['Eastmark'], metrics: ['median_list_price', 'median_list_price_yoy'] },
    ],
    annotations: READS,
    short: { drop: [...DROP, 'groups/*/metrics/*/excluded', 'metrics/*/excluded'] },
    text(answer) {
      const { currency } = objectOf(answer.scope);
      const period = objectOf(answer.period);
      const groups = rowsOf(answer.groups).map(({ by, metrics }) => {
        const name = Object.entries(objectOf(by)).map(
          ([key, value]) => `${word(key)} ${String(value ?? 'unknown')}`,
        );
        return `${word(name.join(', '))}: ${figures(metrics, currency, period).join('; ')}`;
      });
      return [headOf(answer), ...figures(answer.metrics, currency, period), ...groups].join('\n');
    },
    links: areaLinks,
    view: statsView,
  },
  {
    name: 'get_market_history',
    title: 'Market statistics over time',
    description:
      'Computes statistics of a market for each week, month, quarter or year, oldest first; by default the last 12 months. Use it for trends; get_market_stats has one period in detail.',
    operation: 'getMarketHistory',
    rows: 'points',
    output: ['scope', 'points', 'page'],
    shown: [
      ...PLACE,
      ...HOMES,
      'interval',
      'periods',
      'from',
      'to',
      'metrics',
      'currency',
      'units',
      'limit',
      'cursor',
    ],
    defaults: { limit: 12 },
    defaultsFor: metricsFor(3),
    descriptions: {
      interval: 'Default month.',
      periods: 'Points before to. Default 12.',
      from: 'First day of the first point, which begins an interval.',
      to: 'The day after the last point.',
      limit: 'Points in the result.',
    },
    examples: [{ listingType: 'sale', areaId: ['city-eastmark'], interval: 'quarter', periods: 8 }],
    annotations: READS,
    short: { keep: { 'points/*/metrics/*': FIGURE }, drop: DROP },
    text(answer) {
      const { currency } = objectOf(answer.scope);
      const points = rowsOf(answer.points).map(
        ({ metrics, ...days }) => `${daysOf(days) ?? ''}: ${figures(metrics, currency, days).join('; ')}`,
      );
      return [headOf(answer), ...points].join('\n');
    },
    links: areaLinks,
    view: statsView,
  },
  {
    name: 'compare_markets',
    title: 'Compare areas',
    description:
      'Computes the same statistics for several areas over the same days, in the order of areaId. Use it to choose between neighbourhoods or cities; find_areas gives their ids.',
    operation: 'compareMarkets',
    rows: 'areas',
    output: ['scope', 'period', 'areas', 'page'],
    shown: [
      'listingType',
      'areaId',
      ...HOMES,
      'from',
      'to',
      'metrics',
      'currency',
      'units',
      'limit',
      'cursor',
    ],
    defaults: { limit: 8 },
    defaultsFor: metricsFor(5),
    descriptions: { areaId: 'Up to 50 ids from find_areas.', limit: 'Areas in the result.' },
    examples: [{ listingType: 'rental', areaId: ['city-eastmark', 'neighborhood-ashgrove'] }],
    annotations: READS,
    short: { keep: { 'areas/*/metrics/*': FIGURE }, drop: DROP },
    text(answer) {
      const period = objectOf(answer.period);
      const areas = rowsOf(answer.areas).map(
        ({ name, areaId, currency, currencyChoice, metrics }) =>
          `${word(name)} (${word(areaId)}, ${word(currency)}): ${[...figures(metrics, currency, period), currencyNote(currency, currencyChoice)].filter(Boolean).join('; ')}`,
      );
      return [headOf({ ...answer, scope: { ...objectOf(answer.scope), areas: [] } }), ...areas].join('\n');
    },
    view: comparisonView,
    links: ({ areas }) => rowsOf(areas).map(({ areaId }) => ({ kind: 'area', id: String(areaId) })),
  },
];
