// SQL of market conditions: the figures that are due, the conditions on each, and what an evaluation found.

import { parseTime } from '../../lib/clock.ts';
import type { Database, Sql, Transaction } from '../../postgres/client/database.ts';
import { definitionColumns } from '../matching/definition-store.ts';
import type { WatcherDefinition } from '../matching/watcher-definition.ts';
import { type DefinitionRow, definitionOf } from '../matching/watcher-definition.ts';
import {
  type ComputedFigure,
  type ConditionState,
  figureKey,
  type MarketTarget,
  type NewCondition,
  type WatchedFigure,
} from './condition.ts';

/** Stores the condition of a new watcher; its figure is due at once, unless it is computed already. */
export async function insertCondition(
  tx: Transaction,
  watcherNo: number,
  { figure, op, threshold }: NewCondition,
  now: Date,
): Promise<void> {
  // A conflict changes nothing, but keeps the figure from being deleted before this commits.
  await tx`
    with figure as (
      insert into watch_figure as known (key, due_at) values (${figureKey(figure)}, ${now})
      on conflict (key) do update set due_at = known.due_at returning no)
    insert into watch_condition (watcher_no, figure_no, op, threshold, since)
    select ${watcherNo}, no, ${op}, ${threshold}, ${now} from figure`;
}

/** A figure to compute. */
export interface DueFigure {
  readonly no: number;
  readonly figure: WatchedFigure;
  /** The last that had a value; null: there was none. */
  readonly before: ComputedFigure | null;
}

interface FigureRow {
  readonly no: number;
  readonly key: string;
  readonly value: number | null;
  readonly computedAt: string | null;
}

const hasActiveWatcher = (sql: Sql) => sql`exists (
  select from watch_condition join watcher on watcher.no = watcher_no
  where figure_no = figure.no and status = 'active')`;

/** The figure that has been due the longest, of those that active watchers compare; null: none is due. */
export async function findDueFigure(sql: Sql, now: Date): Promise<DueFigure | null> {
  const [row] = await sql<FigureRow[]>`
    select no, key, value, computed_at as "computedAt" from watch_figure as figure
    where due_at <= ${now} and ${hasActiveWatcher(sql)} order by due_at, no limit 1`;
  if (row === undefined) return null;
  const { no, key, value, computedAt } = row;
  const at = parseTime(computedAt);
  return { no, figure: JSON.parse(key) as WatchedFigure, before: at === null ? null : { value, at } };
}

/** When the figure that waits the longest became due, in milliseconds, if active watchers compare it; null: there is none. */
export async function findOldestDue(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ due: string | null }[]>`
    select min(due_at) as due from watch_figure as figure where ${hasActiveWatcher(sql)}`;
  return parseTime(row?.due ?? null);
}

/** Deletes up to `max` figures that nobody compares any more. */
export async function deleteUnusedFigures(database: Database, max: number): Promise<void> {
  await database.write(
    (sql) => sql`
      delete from watch_figure where no in (select no from watch_figure as figure
        where not exists (select from watch_condition where figure_no = figure.no) limit ${max}
        for update skip locked)
      and not exists (select from watch_condition where figure_no = watch_figure.no)`,
  );
}

/** An active watcher with its condition. */
export interface WatchedCondition {
  readonly definition: WatcherDefinition;
  readonly target: MarketTarget;
  readonly condition: ConditionState;
}

interface ConditionRow extends Omit<ConditionState, 'since'> {
  readonly no: number;
  readonly since: string;
}

/**
 * Up to `max` active watchers whose condition a value of the figure may change. Nobody changes them until the transaction
 * ends.
 */
export async function lockConditions(
  tx: Transaction,
  figureNo: number,
  value: number,
  max: number,
): Promise<WatchedCondition[]> {
  // Watchers before their conditions, in the order in which those who change a watcher lock them.
  const watchers = await tx<(DefinitionRow & { readonly marketTarget: MarketTarget })[]>`
    select ${definitionColumns(tx)}, target as "marketTarget" from watcher
    where status = 'active' and no in (
      select watcher_no from watch_condition
      where figure_no = ${figureNo} and (is_met is null or value is distinct from ${value}))
    order by no limit ${max} for no key update`;
  const rows = await tx<ConditionRow[]>`
    select watcher_no as no, op, threshold, is_met as "isMet", value, since from watch_condition
    where watcher_no = any(${watchers.map(({ no }) => no)}::bigint[])`;
  const conditions = new Map(rows.map(({ no, since, ...row }) => [no, { ...row, since: Date.parse(since) }]));
  return watchers.flatMap(({ marketTarget: target, ...row }) => {
    const condition = conditions.get(row.no);
    return condition === undefined ? [] : [{ definition: definitionOf(row), target, condition }];
  });
}

/** Stores how conditions were evaluated. */
export async function updateConditions(
  tx: Transaction,
  evaluated: readonly { readonly no: number; readonly isMet: boolean; readonly value: number }[],
): Promise<void> {
  if (evaluated.length === 0) return;
  await tx`
    update watch_condition set is_met = row.is_met::boolean, value = row.value
    from unnest(${evaluated.map(({ no }) => no)}::bigint[], ${evaluated.map(({ isMet }) => String(isMet))}::text[],
      ${evaluated.map(({ value }) => value)}::float8[]) as row (no, is_met, value)
    where watcher_no = row.no`;
}

/** Stores a figure, which is due again at this time; one without a value leaves the last one that had a value. */
export async function updateFigure(
  tx: Transaction,
  no: number,
  { value, at }: ComputedFigure,
  dueAt: Date,
): Promise<void> {
  await tx`
    update watch_figure set due_at = ${dueAt}, value = coalesce(${value}, value),
      computed_at = case when ${value === null} then computed_at else ${new Date(at)} end
    where no = ${no}`;
}

/** Puts a figure off that could not be computed. */
export async function postponeFigure(sql: Sql, no: number, dueAt: Date): Promise<void> {
  await sql`update watch_figure set due_at = ${dueAt} where no = ${no}`;
}
