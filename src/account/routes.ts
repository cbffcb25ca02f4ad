// Routes of the page about a key: whoever types it sees its plan and its usage.

import { Type } from 'typebox';
import {
  createAccountForm,
  FORM_BODY,
  type FormSender,
  foreignForm,
  PAGE_ROUTE,
  VARY,
  withHeaders,
} from '../access/key-form/account-form.ts';
import { isOwnForm, type KeyForm } from '../access/key-form/key-form.ts';
import { thresholdOf } from '../access/limits/rate-limit-status.ts';
import type { RateLimiter } from '../access/limits/rate-limiter.ts';
import type { SharedCounting } from '../access/limits/shared/shared-counting.ts';
import { withOwnerPlan } from '../access/routes.ts';
import { limitAccount, type Plan, type Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import type { Reply } from '../http/output/reply.ts';
import type { Clock } from '../lib/clock.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { pageReply } from '../page/form-page.ts';
import type { Database } from '../postgres/client/database.ts';
import { type AccountView, renderAccountKeyPage, renderAccountPage } from './account-page.ts';
import { readAccountUsage } from './account-usage.ts';
import { USAGE_STYLE } from './usage-section.ts';

const PATH = '/account';

const AccountForm = Type.Object({
  api_key: Type.Optional(Type.String({ maxLength: 2_000 })),
  proof: Type.Optional(Type.String({ maxLength: 2_000 })),
  forget: Type.Optional(Type.String({ maxLength: 10, description: 'Present: the browser forgets the key.' })),
});

export interface AccountOptions {
  readonly keyForm: KeyForm;
  readonly rateLimiter: Pick<RateLimiter, 'tiers' | 'statuses'>;
  readonly publicUrl: string;
  readonly clock: Clock;
  /** Counts with other processes; null or absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  readonly database: Database;
  /** Where customers see and change their payments; null: not set. */
  readonly portalUrl: string | null;
  /** The active watchers that count against a caller's limit. */
  readonly countWatchers: (account: string) => Promise<number>;
  /** The highest plan in force over the subscriptions of an owner's watchers; null: none, or not known. */
  readonly findOwnerPlan: (owner: string) => Promise<Plan | null>;
  /** The apps that have access with the key of a subscription. */
  readonly countApps: (subscription: string) => Promise<number>;
}

/** GET and POST /account. */
export function accountRoutes(options: AccountOptions): readonly Route<Principal>[] {
  const define = route<Principal>();
  const form = createAccountForm({ ...options, path: PATH, renderKeyPage: renderAccountKeyPage });
  const { keyForm, publicUrl } = options;

  const show = async (sender: FormSender): Promise<Reply> =>
    pageReply(200, renderAccountPage(await findAccount(options, sender)), USAGE_STYLE);

  function forgotten(): Reply {
    const page = pageReply(200, renderAccountKeyPage(null, 'Your key is forgotten in this browser.'));
    return withHeaders(page, { ...VARY, ...keyForm.cookie.forget() });
  }

  const common = { ...PAGE_ROUTE, path: PATH, tag: 'Account' } as const;
  return [
    define({
      ...common,
      method: 'GET',
      operation: 'showAccount',
      summary: 'Show the plan and the usage of the key that a cookie names, or ask for a key',
      handle: (call) => form.open(call, show),
    }),
    define({
      ...common,
      method: 'POST',
      operation: 'useAccount',
      summary: 'Show the plan and the usage of a key',
      ...FORM_BODY,
      body: AccountForm,
      async handle(call) {
        if (call.body.forget === undefined) return form.submit(call, call.body, show);
        return isOwnForm(call.headers, publicUrl) ? forgotten() : foreignForm(call);
      },
    }),
  ];
}

/** What the page shows of a caller. Throws DATABASE_UNAVAILABLE. */
async function findAccount(
  options: AccountOptions,
  { caller, endsAt, proof }: FormSender,
): Promise<AccountView> {
  const { rateLimiter, countWatchers, countApps, portalUrl, clock, keyForm } = options;
  const now = clock.now();
  const [{ month, calendar }, used, owner, apps, usage] = await Promise.all([
    rateLimiter.statuses(caller),
    countWatchers(limitAccount(caller)),
    withOwnerPlan(options, caller),
    countApps(caller.subscription ?? ''),
    nullIfUnavailable(readAccountUsage(options.database, caller, now)),
  ]);
  const { tiers } = rateLimiter;
  return {
    tier: caller.tier,
    limits: tiers[caller.tier],
    endsAt,
    apps,
    usage,
    portalUrl,
    proof,
    isRemembered: keyForm.cookie.isUsed,
    month: month === null ? null : { quota: month.policy.quota, remaining: month.remaining },
    notice: month === null ? null : thresholdOf(month),
    resetsAt: calendar.end,
    watchers: { used, limit: tiers[owner.tier].watchers },
    now,
  };
}
