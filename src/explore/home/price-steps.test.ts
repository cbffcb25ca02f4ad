// Tests of the price history: what is known becomes steps, what no source dated becomes a gap.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Property } from '../../listings/property-record.ts';
import { priceHistory } from './price-steps.ts';

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const NOW = day('2026-06-01');

type Event = NonNullable<Property['history']>[number];
type Period = NonNullable<Property['listings']>[number];

function event(at: string, name: Event['event'], more: Partial<Event> = {}): Event {
  return {
    at: `${at}T00:00:00Z`,
    event: name,
    listingId: 'lst_1',
    listingType: 'sale',
    price: null,
    previousPrice: null,
    status: null,
    previousStatus: null,
    origin: 'upstream',
    ...more,
  };
}

function period(more: Partial<Period> = {}): Period {
  return {
    id: 'lst_1',
    listingType: 'sale',
    status: 'ACTIVE',
    price: 500_000,
    closePrice: null,
    listedAt: null,
    closedAt: null,
    offMarketAt: null,
    daysOnMarket: null,
    attribution: 'Elm Homes',
    fetchedAt: '2026-01-01T00:00:00Z',
    ...more,
  };
}

test('a step that the source never dated is a gap: no price is drawn from the listing to the first dated change', () => {
  const { steps, asked, changes } = priceHistory(
    {
      listings: [period({ price: 629_900 })],
      history: [
        event('2026-05-01', 'PRICE_CHANGED', { price: 629_900, previousPrice: 654_900 }),
        event('2026-02-01', 'LISTED', { price: 690_000 }),
      ],
    },
    'sale',
    NOW,
  );
  assert.deepEqual(
    steps.map(({ at, between, price, change }) => [at ?? between, price, change]),
    [
      [day('2026-05-01'), 629_900, -25_000],
      [[day('2026-02-01'), day('2026-05-01')], 654_900, -35_100],
      [day('2026-02-01'), 690_000, null],
    ],
  );
  assert.deepEqual(asked, [{ from: day('2026-05-01'), to: NOW, price: 629_900, isPending: false }]);
  assert.deepEqual(changes, [{ at: day('2026-05-01'), from: 654_900, to: 629_900 }]);
});

test('dated changes follow one another without a gap, up to now', () => {
  const { asked, marks } = priceHistory(
    {
      listings: [period()],
      history: [
        event('2026-01-01', 'LISTED', { price: 600_000 }),
        event('2026-03-01', 'PRICE_CHANGED', { price: 500_000, previousPrice: 600_000 }),
      ],
    },
    'sale',
    NOW,
  );
  assert.deepEqual(asked, [
    { from: day('2026-01-01'), to: day('2026-03-01'), price: 600_000, isPending: false },
    { from: day('2026-03-01'), to: NOW, price: 500_000, isPending: false },
  ]);
  assert.deepEqual(
    marks.map(({ kind, price }) => [kind, price]),
    [
      ['listed', 600_000],
      ['changed', 500_000],
      ['now', 500_000],
    ],
  );
});

test('a price that differs from the last known one, without an event, is a gap up to now', () => {
  const { steps, asked, marks } = priceHistory(
    { listings: [period()], history: [event('2026-01-01', 'LISTED', { price: 600_000 })] },
    'sale',
    NOW,
  );
  assert.deepEqual(asked, []);
  assert.deepEqual([steps[0]?.at, steps[0]?.between], [null, [day('2026-01-01'), NOW]]);
  assert.deepEqual(marks.at(-1), { at: NOW, price: 500_000, kind: 'now' });
});

test('a sale has the price that was paid, or none; after a contract what is asked counts as pending', () => {
  const sold = (closePrice: number | null) =>
    priceHistory(
      {
        listings: [period({ status: 'CLOSED', closePrice })],
        history: [
          event('2026-01-01', 'LISTED', { price: 500_000 }),
          event('2026-02-01', 'PENDING', { price: 500_000, status: 'PENDING' }),
          event('2026-03-01', 'CLOSED', { price: 500_000, status: 'CLOSED' }),
          event('2026-03-01', 'PRICE_CHANGED', { price: 490_000, previousPrice: 500_000 }),
        ],
      },
      'sale',
      NOW,
    );
  const { asked, marks, steps } = sold(480_000);
  assert.deepEqual(
    asked.map(({ isPending }) => isPending),
    [false, true, true],
  );
  assert.deepEqual(
    steps.map(({ kind }) => kind),
    ['sold', 'changed', 'pending', 'listed'],
    'a closing has only a day: what else happened on it came before',
  );
  assert.deepEqual(marks.at(-1), { at: day('2026-03-01'), price: 480_000, kind: 'sold' });
  assert.equal(steps[0]?.price, 480_000);
  assert.equal(sold(null).steps[0]?.price, null);
  assert.equal(sold(null).marks.at(-1)?.kind, 'changed');
});

test('rents and prices are never on one scale, and a home that left the market has no price now', () => {
  const history = [
    event('2025-01-01', 'LISTED', { price: 3_000, listingId: 'lst_2', listingType: 'rental' }),
    event('2026-01-01', 'LISTED', { price: 500_000 }),
    event('2026-02-01', 'DELISTED', { price: 500_000, status: 'WITHDRAWN' }),
  ];
  const listings = [
    period({ status: 'WITHDRAWN' }),
    period({ id: 'lst_2', listingType: 'rental', price: 3_000 }),
  ];
  const sale = priceHistory({ listings, history }, 'sale', NOW);
  assert.deepEqual(
    sale.steps.map(({ kind }) => kind),
    ['ended', 'listed'],
  );
  assert.deepEqual(sale.asked.at(-1)?.to, day('2026-02-01'));
  assert.equal(
    sale.marks.some(({ kind }) => kind === 'now'),
    false,
  );
  assert.equal(priceHistory({ listings, history }, 'rental', NOW).listings, 1);
});
