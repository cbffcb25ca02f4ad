// Conditions on market figures: what a target compares, and when a figure crosses into it. Pure.

import { formatTime } from '../../lib/clock.ts';
import type { ListingType, PropertyType } from '../../listings/vocabulary.ts';
import type { FigureRequest } from '../../market/figure.ts';

export const OPERATORS = ['above', 'below', 'change_percent_above', 'change_percent_below'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Whether the operator compares the change between two windows. */
export const isChange = (op: Operator): boolean => op.startsWith('change_percent_');

/** A target of type market as its owner writes it. */
export interface MarketTarget {
  readonly type: 'market';
  readonly areaId: string;
  readonly listingType: ListingType;
  readonly metric: string;
  readonly propertyType?: PropertyType;
  readonly bedrooms?: number;
  /** ISO 4217. */
  readonly currency?: string;
  readonly condition: {
    readonly op: Operator;
    readonly value: number;
    /** Such as P30D; of changes only. */
    readonly window?: string;
  };
}

/** A figure that conditions compare: the same for all watchers that ask for it. */
export interface WatchedFigure extends FigureRequest {
  /** Whose figure it is; absent: that of owners with a subscription. */
  readonly reader?: 'signed-in';
}

/** The figure of a target, in the only currency of its listings unless the target names one. */
export function figureOf({ condition, ...target }: MarketTarget, isSubscribed: boolean): WatchedFigure {
  const { areaId, listingType, metric, propertyType, bedrooms, currency } = target;
  const { window } = condition;
  return {
    areaId,
    listingType,
    metric,
    propertyType: propertyType ?? null,
    bedrooms: bedrooms ?? null,
    currency: currency ?? null,
    window: window === undefined ? null : Number(window.slice(1, -1)),
    ...(isSubscribed ? {} : { reader: 'signed-in' }),
  };
}

/** The same text for the same figure. */
export const figureKey = (figure: WatchedFigure): string =>
  JSON.stringify(figure, [
    'areaId',
    'listingType',
    'metric',
    'propertyType',
    'bedrooms',
    'currency',
    'window',
    'reader',
  ] as const);

/** A condition on a figure. */
export interface NewCondition {
  readonly figure: WatchedFigure;
  readonly op: Operator;
  readonly threshold: number;
}

/** A condition, and how it was last evaluated. */
export interface ConditionState {
  readonly op: Operator;
  readonly threshold: number;
  /** Null: not since its watcher became active. */
  readonly isMet: boolean | null;
  /** The figure at that evaluation. */
  readonly value: number | null;
  /** Milliseconds: when its watcher became active. */
  readonly since: number;
}

/** A figure as it was computed; null: its sample was too small, or its area is gone. */
export interface ComputedFigure {
  readonly value: number | null;
  /** Milliseconds. */
  readonly at: number;
}

export interface Evaluation {
  readonly isMet: boolean;
  readonly value: number;
  /** The figure before, if it has now crossed into the condition; null: it has not. */
  readonly crossedFrom: number | null;
}

/** Whether a figure meets a condition. */
export function meets({ op, threshold }: Pick<ConditionState, 'op' | 'threshold'>, value: number): boolean {
  return op === 'above' || op === 'change_percent_above' ? value > threshold : value < threshold;
}

/**
 * Evaluates a condition for a new figure; null: the figure says nothing. A state that was not known before is found, not
 * crossed into. `before`: the last figure that had a value, which is what a watcher found that became active within `lifetime`
 * milliseconds after it.
 */
export function evaluate(
  condition: ConditionState,
  { value }: ComputedFigure,
  before: ComputedFigure | null,
  lifetime: number,
): Evaluation | null {
  if (value === null) return null;
  const isMet = meets(condition, value);
  const known = lastKnown(condition, before, lifetime);
  const crossed = isMet && known !== null && !known.isMet;
  return { isMet, value, crossedFrom: crossed ? known.value : null };
}

function lastKnown(
  condition: ConditionState,
  before: ComputedFigure | null,
  lifetime: number,
): { readonly isMet: boolean; readonly value: number } | null {
  const { isMet, value, since } = condition;
  if (isMet !== null && value !== null) return { isMet, value };
  if (before?.value == null || before.at > since || before.at + lifetime < since) return null;
  return { isMet: meets(condition, before.value), value: before.value };
}

/** What `market.threshold_crossed` contains. */
export interface Crossing {
  readonly areaId: string;
  readonly listingType: ListingType;
  readonly metric: string;
  readonly op: Operator;
  readonly threshold: number;
  readonly window: string | null;
  readonly value: number;
  readonly previous: number;
  /** RFC 3339: when the figure was computed. */
  readonly at: string | null;
}

/** The crossing that an evaluation found; null: none. `at` in milliseconds. */
export function crossingOf(
  { areaId, listingType, metric, condition }: MarketTarget,
  { value, crossedFrom }: Evaluation,
  at: number,
): Crossing | null {
  if (crossedFrom === null) return null;
  const { op, value: threshold, window = null } = condition;
  return {
    areaId,
    listingType,
    metric,
    op,
    threshold,
    window,
    value,
    previous: crossedFrom,
    at: formatTime(at),
  };
}
