// Proves what a subscription at Stripe gives, in every state, by an oracle that reads Stripe's own objects.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  itemObject,
  type NewPrice,
  priceObject,
  productObject,
  type Seconds,
  subscriptionObject,
  type WireItem,
  type WireSubscription,
} from '../../../test/support/billing/stripe/stripe-objects.ts';
import {
  type ActiveSubscription,
  ProviderUnavailable,
  type SubscriptionStatus,
} from '../../access/tiers/provider.ts';
import { planOfItems } from './plan-names.ts';
import { RecordReader, SUBSCRIPTION_STATES } from './stripe-records.ts';
import { statusOf } from './subscription-rules.ts';

const DAY: Seconds = 86_400;
const NOW: Seconds = 1_800_000_000;
const common = { livemode: false, created: NOW - 400 * DAY };

/** What a test says of one item: the plans that its price, its product and nothing name, and its period. */
interface ItemCase {
  readonly lookupKey: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Days before now at which its period began, and days that it has. */
  readonly began: number;
  readonly lasts: number;
}

interface Case {
  readonly status: (typeof SUBSCRIPTION_STATES)[number];
  readonly items: readonly ItemCase[];
  readonly cancelIn: number | null;
  readonly cancelsAtPeriodEnd: boolean;
  readonly daysUntilDue: number | null;
  readonly graceDays: number;
}

const PLANS_BY_RANK = ['free', 'pro', 'business', 'internal'] as const;
const names = [...PLANS_BY_RANK, 'platinum', ''];

const lookupKeys = fc.option(
  fc.oneof(
    fc.constantFrom(...names).map((name) => `freehold_${name}`),
    fc.constantFrom(...names).map((name) => `freehold_${name}_yearly`),
    fc.constantFrom(...names).map((name) => `other_${name}`),
    fc.constantFrom(
      'pro',
      'Freehold_pro',
      'freehold-pro',
      'freehold_proper',
      'freehold_pro2',
      'xfreehold_pro',
    ),
  ),
);
const metadatas: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  fc.constant({}),
  fc.constantFrom(...names).map((name) => ({ freehold_plan: name })),
  fc.constantFrom(...names).map((name) => ({ plan: name })),
);
const itemCases = fc.record<ItemCase>({
  lookupKey: lookupKeys,
  metadata: metadatas,
  began: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 60 })),
  lasts: fc.integer({ min: 1, max: 366 }),
});
const cases = fc.record<Case>({
  status: fc.constantFrom(...SUBSCRIPTION_STATES),
  items: fc.array(itemCases, { minLength: 1, maxLength: 4 }),
  cancelIn: fc.option(fc.integer({ min: -5, max: 60 })),
  cancelsAtPeriodEnd: fc.boolean(),
  daysUntilDue: fc.option(fc.integer({ min: 0, max: 45 })),
  graceDays: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 90 })),
});

/** The wire object of a case; products are expanded, as they were asked for. */
function wireOf({ status, items, cancelIn, cancelsAtPeriodEnd, daysUntilDue }: Case): WireSubscription {
  const price: Omit<NewPrice, 'product' | 'lookupKey'> = {
    amount: 100,
    currency: 'usd',
    interval: 'month',
    intervalCount: 1,
    usage: 'licensed',
  };
  const wireItems = items.map(({ lookupKey, metadata, began, lasts }): WireItem => {
    const product = productObject(common, { name: 'A product', metadata: { ...metadata } });
    const start = NOW - began * DAY;
    const item = itemObject(common, {
      subscription: 'sub_1',
      start,
      end: start + lasts * DAY,
      price: priceObject(common, { ...price, product: product.id, lookupKey }),
    });
    item.price.product = product;
    return item;
  });
  const wire = subscriptionObject(
    common,
    { id: 'sub_1', customer: 'cus_1', status, metadata: {}, currency: 'usd' },
    wireItems,
  );
  wire.cancel_at = cancelIn === null ? null : NOW + cancelIn * DAY;
  wire.cancel_at_period_end = cancelsAtPeriodEnd;
  wire.days_until_due = daysUntilDue;
  return wire;
}

function judge(wire: unknown, graceDays: number): SubscriptionStatus {
  const subscription = new RecordReader(false).subscription(JSON.parse(JSON.stringify(wire)));
  return statusOf(subscription, planOfItems(subscription.items), { graceDays, now: NOW * 1000 });
}

/** The oracle: as a table for people says it, over the case and not over the wire. */
function expected({ status, items, daysUntilDue, graceDays, ...end }: Case): SubscriptionStatus {
  if (status === 'canceled' || status === 'incomplete_expired') return { state: 'expired' };
  const reasons = { incomplete: 'pending', unpaid: 'unpaid', paused: 'paused' } as const;
  if (status === 'incomplete' || status === 'unpaid' || status === 'paused') {
    return { state: 'unknown', reason: reasons[status] };
  }
  const youngest = Math.min(...items.map(({ began }) => began));
  const graceLeft = (daysUntilDue ?? 0) + graceDays - youngest;
  if (status === 'past_due' && graceLeft <= 0) return { state: 'unknown', reason: 'unpaid' };
  const rank = Math.max(
    ...items.flatMap(({ lookupKey, metadata }) => [
      PLANS_BY_RANK.findIndex((plan) =>
        [`freehold_${plan}`, `freehold_${plan}_yearly`].includes(lookupKey ?? ''),
      ),
      ([...PLANS_BY_RANK] as string[]).indexOf(metadata.freehold_plan ?? ''),
    ]),
  );
  const tier = PLANS_BY_RANK[rank];
  if (tier === undefined) return { state: 'unknown' };
  const ends = [
    end.cancelIn ??
      (end.cancelsAtPeriodEnd ? Math.max(...items.map((item) => item.lasts - item.began)) : null),
    status === 'past_due' ? graceLeft : null,
  ].filter((days) => days !== null);
  const endsAt = ends.length === 0 ? null : (NOW + Math.min(...ends) * DAY) * 1000;
  return { state: 'active', subscription: 'sub_1', customer: 'cus_1', tier, endsAt };
}

/** A place in an object, as the names that lead to it. */
type Path = readonly string[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]));
  return path.length === 0 ? inner : [path, ...inner];
}

/** Kinds of damage to a correct answer: what stands there instead; undefined: nothing does. */
const DAMAGE: Readonly<Record<string, unknown>> = {
  removed: undefined,
  emptied: {},
  list: [],
  text: '<html>',
  number: -1.5,
  flag: 'true',
};

/** What names plans may be any text, and metadata may lack it: that is no damage. */
function isMeant(path: Path, kind: string): boolean {
  const [last = '', before = ''] = path.toReversed();
  if (last === 'lookup_key') return ['text', 'flag'].includes(kind);
  if (before === 'metadata') return ['text', 'flag', 'removed'].includes(kind);
  return last === 'metadata' && kind === 'emptied';
}

describe('a subscription', () => {
  test('gives what its state, plans, periods and days of grace say', () => {
    fc.assert(
      fc.property(cases, (each) => assert.deepEqual(judge(wireOf(each), each.graceDays), expected(each))),
      { numRuns: 2_000 },
    );
  });

  test('is never refused because of an answer that was damaged', () => {
    const damages = fc.record({
      each: cases.filter(
        ({ status }) => status === 'active' || status === 'trialing' || status === 'past_due',
      ),
      place: fc.nat(),
      kind: fc.constantFrom(...Object.keys(DAMAGE)),
    });
    let unusable = 0;
    fc.assert(
      fc.property(damages, ({ each, place, kind }) => {
        const right = judge(wireOf(each), each.graceDays);
        fc.pre(right.state === 'active');
        const wire = structuredClone(wireOf(each)) as unknown as Record<string, unknown>;
        const paths = pathsOf(wire);
        const path = paths[place % paths.length] ?? [];
        fc.pre(!isMeant(path, kind));
        let holder = wire;
        for (const name of path.slice(0, -1)) holder = holder[name] as Record<string, unknown>;
        holder[path.at(-1) ?? ''] = DAMAGE[kind];
        try {
          const found = judge(wire, each.graceDays);
          const { tier, endsAt }: Partial<ActiveSubscription> = found.state === 'active' ? found : {};
          assert.deepEqual([tier, endsAt], [right.tier, right.endsAt], `${kind} ${path.join('.')}`);
        } catch (error) {
          if (!(error instanceof ProviderUnavailable)) throw error;
          unusable += 1;
        }
      }),
      { numRuns: 3_000 },
    );
    assert.ok(unusable > 100, `${unusable} answers were unusable`);
  });

  test('of the other mode, of a state that nobody knows, or without items is no answer', () => {
    const [wire] = fc.sample(cases.map(wireOf), 1);
    assert.ok(wire !== undefined);
    const damaged = [
      { ...wire, livemode: true },
      { ...wire, status: 'activ' },
      { ...wire, items: { ...wire.items, data: [] } },
      { ...wire, object: 'customer' },
      null,
      [],
      'subscription',
    ];
    for (const each of damaged) assert.throws(() => judge(each, 7), ProviderUnavailable);
    const unexpanded = structuredClone(wire);
    for (const item of unexpanded.items.data) item.price.product = 'prod_1';
    assert.throws(() => judge(unexpanded, 7), ProviderUnavailable);
  });
});
