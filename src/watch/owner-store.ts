// SQL of the owners of watchers: the plan that sets their limits, and how their watchers follow it.

import { CADENCES, type Cadence, PLANS, type Plan } from '../access/tiers/tiers.ts';
import type { Sql, SqlFragment, Transaction } from '../postgres/client/database.ts';
import type { WatcherStatus } from './matching/watcher-definition.ts';
import type { Watcher } from './watcher.ts';
import { type WatcherRow, watcherColumns, watcherOf } from './watcher-store.ts';

/** A caller as the owner of watchers. */
export interface OwnerUse {
  readonly owner: string;
  readonly allowance: string;
  readonly subscription: string | null;
  readonly grant: string | null;
  readonly plan: Plan;
}

/** Records that an owner uses its watchers with this subscription and plan, and returns the highest plan in force. */
export async function upsertOwner(tx: Transaction, use: OwnerUse, now: Date): Promise<Plan> {
  const { owner, allowance, grant, plan } = use;
  const [row] = await tx<{ plan: Plan }[]>`
    insert into watcher_owner as known (owner, allowance, grant_id, plan, checked_at)
    values (${owner}, ${allowance}, ${grant}, ${plan}, ${now})
    on conflict (owner) do update set ${raisedPlan(tx, use)}
    returning plan`;
  if (row === undefined) throw new Error('The owner was not written');
  await insertSubscription(tx, use);
  return row.plan;
}

/** The same for an owner that has watchers; others are not recorded. */
export async function updateOwner(tx: Transaction, use: OwnerUse): Promise<void> {
  const { count } = await tx`
    update watcher_owner as known set ${raisedPlan(tx, use)} where owner = ${use.owner}`;
  if (count > 0) await insertSubscription(tx, use);
}

/** A plan that is higher than the known one, or follows an end, is checked soon: watchers may resume. */
function raisedPlan(sql: Sql, { plan }: OwnerUse): SqlFragment {
  const ranks = sql`${[...PLANS]}::text[]`;
  const isRaised = sql`(known.has_ended
    or array_position(${ranks}, ${plan}::text) > array_position(${ranks}, known.plan))`;
  return sql`plan = case when ${isRaised} then ${plan} else known.plan end,
    has_ended = false,
    applied_limits = case when ${isRaised} then '' else known.applied_limits end,
    checked_at = case when ${isRaised} then '-infinity' else known.checked_at end,
    claimed_until = case when ${isRaised} then null else known.claimed_until end`;
}

async function insertSubscription(tx: Transaction, { owner, subscription }: OwnerUse): Promise<void> {
  if (subscription === null) return;
  await tx`
    insert into watcher_owner_subscription (owner, subscription) values (${owner}, ${subscription})
    on conflict do nothing`;
}

/** An owner to check. */
export interface OwnerCheck {
  readonly owner: string;
  readonly allowance: string;
  readonly grant: string | null;
  readonly plan: Plan;
  readonly hasEnded: boolean;
  readonly appliedLimits: string;
  readonly subscriptions: readonly string[];
  /** Tells this claim from later ones. */
  readonly claim: string;
}

/** Seconds for which one process has an owner for itself. */
const CLAIM = 60;

/** Claims owners with watchers that were last checked at `before` or earlier. Owners without watchers are deleted instead. */
export async function claimOwners(tx: Transaction, before: Date, max: number): Promise<OwnerCheck[]> {
  const due = tx`select owner from watcher_owner
    where checked_at <= ${before} and coalesce(claimed_until, '-infinity') < clock_timestamp()
    order by checked_at limit ${max} for update skip locked`;
  await tx`delete from watcher_owner as known where owner in (${due})
    and not exists (select from watcher where watcher.owner = known.owner)`;
  return tx<OwnerCheck[]>`
    update watcher_owner as known set claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM})
    where owner in (${due})
    returning owner, allowance, grant_id as "grant", plan, has_ended as "hasEnded",
      applied_limits as "appliedLimits", claimed_until::text as claim,
      array(select subscription from watcher_owner_subscription as paid where paid.owner = known.owner) as subscriptions`;
}

/** What a check found. */
export interface OwnerState {
  readonly owner: string;
  readonly claim: string;
  readonly plan: Plan;
  readonly hasEnded: boolean;
  readonly appliedLimits: string;
  /** Subscriptions that are not in force, to forget. */
  readonly ended: readonly string[];
}

/** Stores what a check found; false if the owner became due again meanwhile. */
export async function updateChecked(
  tx: Transaction,
  { claim, ...state }: OwnerState,
  now: Date,
): Promise<boolean> {
  const { count } = await tx`
    update watcher_owner set plan = ${state.plan}, has_ended = ${state.hasEnded},
      applied_limits = ${state.appliedLimits}, checked_at = ${now}, claimed_until = null
    where owner = ${state.owner} and claimed_until::text = ${claim}`;
  if (count === 0) return false;
  await tx`
    delete from watcher_owner_subscription
    where owner = ${state.owner} and subscription = any(${[...state.ended]}::text[])`;
  return true;
}

/** Ends a claim without a result: the owner counts as checked at this time. */
export async function releaseOwner(
  sql: Sql,
  { owner, claim }: Pick<OwnerCheck, 'owner' | 'claim'>,
  checkedAt: Date,
): Promise<void> {
  await sql`
    update watcher_owner set checked_at = ${checkedAt}, claimed_until = null
    where owner = ${owner} and claimed_until::text = ${claim}`;
}

/** Makes owners due: that this subscription or grant pays for, or one by its name, whose watchers are then fitted again. */
export async function markOwnersDue(
  sql: Sql,
  which: { readonly subscription: string } | { readonly grant: string } | { readonly owner: string },
): Promise<void> {
  if ('owner' in which) {
    await sql`update watcher_owner set checked_at = '-infinity', applied_limits = '', claimed_until = null
      where owner = ${which.owner}`;
    return;
  }
  const isMeant =
    'grant' in which
      ? sql`grant_id = ${which.grant}`
      : sql`owner in (select owner from watcher_owner_subscription where subscription = ${which.subscription})`;
  await sql`update watcher_owner set checked_at = '-infinity', claimed_until = null where ${isMeant}`;
}

/** The highest plan in force over the subscriptions of an owner's watchers; null: none, or not known. */
export async function findOwnerPlan(sql: Sql, owner: string): Promise<Plan | null> {
  const [row] = await sql<{ plan: Plan }[]>`
    select plan from watcher_owner where owner = ${owner} and not has_ended`;
  return row?.plan ?? null;
}

/** Makes owners due whose watchers may resume, because one that counted is gone. */
export async function markDueIfOverLimit(sql: Sql, allowance: string): Promise<void> {
  await sql`
    update watcher_owner set checked_at = '-infinity', applied_limits = '', claimed_until = null
    where owner in (select owner from watcher where allowance = ${allowance} and status_reason = 'over_limit')`;
}

/** A watcher that was changed, and what it was before. */
export interface ChangedWatcher {
  readonly watcher: Watcher;
  readonly before: WatcherStatus;
  readonly cadenceBefore: Cadence;
}

type ChangedRow = WatcherRow & Omit<ChangedWatcher, 'watcher'>;

const changedOf = ({ before, cadenceBefore, ...row }: ChangedRow): ChangedWatcher => ({
  watcher: watcherOf(row),
  before,
  cadenceBefore,
});

/** Limits of a plan, as watchers follow them. */
export interface PlanLimits {
  /** Null: unlimited. */
  readonly watchers: number | null;
  readonly events: number | null;
  /** The fastest. */
  readonly cadence: Cadence;
  readonly mayIgnoreDisplayRules: boolean;
}

/**
 * Fits up to `max` watchers of an allowance to its plan: the oldest are active, those beyond the limit paused, and what an
 * end had paused resumes. Pauses of an owner stay. A cadence is as requested, or slower where the plan is.
 */
export async function applyLimits(
  tx: Transaction,
  allowance: string,
  limits: PlanLimits,
  { now, max }: { readonly now: Date; readonly max: number },
): Promise<ChangedWatcher[]> {
  const ranks = tx`${[...CADENCES]}::text[]`;
  const rows = await tx<ChangedRow[]>`
    with placed as (
      select no, status as before, status_reason as reason_before, row_number() over (order by no) as place,
        ${limits.mayIgnoreDisplayRules} and coalesce((search ->> 'ignoreDisplayRules')::boolean, false) as ignores,
        cadence as cadence_before, (${ranks})[greatest(array_position(${ranks}, ${limits.cadence}::text),
          array_position(${ranks}, requested_cadence))] as allowed_cadence
      from watcher where allowance = ${allowance} and status <> 'expired'
    ), fitted as (
      select *, case
        when before = 'disabled' or reason_before in ('owner', 'delivery_failed') then reason_before
        when place > ${limits.watchers}::integer then 'over_limit'
      end as reason from placed
    )
    update watcher set status_reason = reason,
      status = case when before = 'disabled' then before when reason is null then 'active' else 'paused' end,
      events_per_hour = ${limits.events}, ignore_display_rules = ignores, cadence = allowed_cadence, version = version + 1, updated_at = ${now}
    from fitted where watcher.no = fitted.no and watcher.no in (
      select no from fitted join watcher as current using (no)
      where reason is distinct from reason_before or current.ignore_display_rules <> ignores
        or current.events_per_hour is distinct from ${limits.events} or cadence_before <> allowed_cadence
      order by no limit ${max})
    returning ${watcherColumns(tx)}, before, cadence_before as "cadenceBefore"`;
  return rows.map(changedOf);
}

/** Pauses up to `max` active watchers of an owner whose subscriptions have all ended. */
export async function pauseEnded(
  tx: Transaction,
  owner: string,
  { now, max }: { readonly now: Date; readonly max: number },
): Promise<Watcher[]> {
  const rows = await tx<WatcherRow[]>`
    update watcher set status = 'paused', status_reason = 'subscription_ended', version = version + 1, updated_at = ${now}
    where no in (select no from watcher where owner = ${owner} and status = 'active' order by no limit ${max} for update)
    returning ${watcherColumns(tx)}`;
  return rows.map(watcherOf);
}

/** Expires up to `max` watchers that are due, or that belong to the owner. */
export async function expireWatchers(
  tx: Transaction,
  which: 'due' | { readonly owner: string },
  { now, max }: { readonly now: Date; readonly max: number },
): Promise<Watcher[]> {
  const isMeant = which === 'due' ? tx`expires_at <= ${now}` : tx`owner = ${which.owner}`;
  const rows = await tx<WatcherRow[]>`
    update watcher set status = 'expired', status_reason = null, version = version + 1, updated_at = ${now}
    where no in (
      select no from watcher where ${isMeant} and status <> 'expired' order by no limit ${max} for update skip locked)
    returning ${watcherColumns(tx)}`;
  return rows.map(watcherOf);
}

/** Deletes up to `max` watchers that expired before this time. */
export async function deleteExpired(tx: Transaction, before: Date, max: number): Promise<Watcher[]> {
  const rows = await tx<WatcherRow[]>`
    delete from watcher where no in (
      select no from watcher where status = 'expired' and updated_at <= ${before} order by updated_at limit ${max}
      for update skip locked)
    returning ${watcherColumns(tx)}`;
  return rows.map(watcherOf);
}
