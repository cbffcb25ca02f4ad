// Routes of the page about watchers: whoever types a key sees the events of its watchers, and acts by forms.

import { Type } from 'typebox';
import {
  createAccountForm,
  FORM_BODY,
  type FormSender,
  PAGE_ROUTE,
  retryHeaders,
  withHeaders,
} from '../../access/key-form/account-form.ts';
import type { KeyFields, KeyForm } from '../../access/key-form/key-form.ts';
import type { SharedCounting } from '../../access/limits/shared/shared-counting.ts';
import type { Reach } from '../../access/tiers/reach.ts';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { pageReply } from '../../page/form-page.ts';
import type { WatcherOptions } from '../../watch/resolve-target.ts';
import { OwnerUses } from '../../watch/watcher-owner.ts';
import { renderKeyPage } from './list-page.ts';
import { showList, showWatcher, type Viewer } from './show.ts';
import { STEPS, type StepFields, takeStep } from './steps.ts';

const PATH = '/account/watchers';

const field = () => Type.Optional(Type.String({ maxLength: 2_000 }));

const WatchersForm = Type.Object({
  api_key: field(),
  proof: field(),
  watcher: field(),
  cursor: field(),
  ...Object.fromEntries(STEPS.map((step) => [step, field()])),
});

interface Fields extends KeyFields, StepFields {
  /** The page of the list. */
  readonly cursor?: string;
}

export interface WatcherPageContext extends WatcherOptions {
  /** Counts with other processes; null or absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  readonly keyForm: KeyForm;
  readonly findOwnerPlan: Viewer['findOwnerPlan'];
  /** What is open to the watchers of an owner. */
  readonly findOwnerReach: (owner: string) => Reach;
}

/** GET and POST /account/watchers. */
export function watcherPageRoutes(context: WatcherPageContext): readonly Route<Principal>[] {
  const define = route<Principal>();
  const form = createAccountForm({ ...context, path: PATH, renderKeyPage });
  const show = createShow(context);
  const common = { ...PAGE_ROUTE, path: PATH, tag: 'Watchers' } as const;
  return [
    define({
      ...common,
      method: 'GET',
      operation: 'showWatcherPage',
      summary: 'Show the watchers of the key that a cookie names, or ask for a key',
      handle: (call) => form.open(call, show({})),
    }),
    define({
      ...common,
      method: 'POST',
      operation: 'useWatcherPage',
      summary: 'Show the watchers of a key, or take a step',
      ...FORM_BODY,
      body: WatchersForm,
      handle: (call) => form.submit(call, call.body as Fields, show(call.body as Fields)),
    }),
  ];
}

/** Takes the step that the fields name, and shows the page that they ask for. */
function createShow(context: WatcherPageContext) {
  const owners = new OwnerUses(context);
  return (fields: Fields) => async (sender: FormSender) => {
    await owners.record(sender.caller);
    const { findOwnerReach, keyForm } = context;
    // A key in a form says nothing of the way that its listings take.
    const caller = { ...sender.caller, reach: findOwnerReach(sender.caller.owner ?? '') };
    const viewer: Viewer = { ...context, ...sender, caller, isRemembered: keyForm.cookie.isUsed };
    const done = await takeStep(viewer, fields);
    const page = fields.watcher === undefined ? null : await showWatcher(viewer, fields.watcher, done.notice);
    const isUnknown = fields.watcher !== undefined && page === null;
    const notice = isUnknown ? UNKNOWN_WATCHER : done.notice;
    const text = page ?? (await showList(viewer, fields.cursor, notice));
    return withHeaders(pageReply(isUnknown ? 404 : done.status, text), retryHeaders(done.error));
  };
}

const UNKNOWN_WATCHER = {
  text: 'You have no such watcher. It may have been deleted meanwhile.',
  isFault: true,
} as const;
