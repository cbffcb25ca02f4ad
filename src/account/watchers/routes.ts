// Routes of the page about watchers: whoever types a key sees the events of its watchers, and acts by forms.

import { Type } from 'typebox';
import {
  type AccountForm,
  createAccountForm,
  FORM_BYTES,
  type FormCall,
  type FormSender,
  pageErrors,
  retryHeaders,
  withHeaders,
} from '../../access/key-form/account-form.ts';
import type { KeyFields, KeyForm } from '../../access/key-form/key-form.ts';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
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
  readonly keyForm: KeyForm;
  readonly findOwnerPlan: Viewer['findOwnerPlan'];
}

/** GET and POST /account/watchers. Like consent, not open to scripts of other pages. */
export function watcherPageRoutes(context: WatcherPageContext): readonly Route<Principal>[] {
  const define = route<Principal>();
  const form = createAccountForm({ ...context, path: PATH, renderKeyPage });
  const { show, handle } = createHandlers(context, form);
  const common = {
    path: PATH,
    tag: 'Watchers',
    page: true,
    ownQuery: true,
    anyAccept: true,
    accepts: ['text/html'],
    access: { credentials: 'none', counts: 'nothing' },
    answer: { description: 'A page.', contentType: 'text/html' },
    errors: pageErrors,
  } as const;
  return [
    define({
      ...common,
      method: 'GET',
      operation: 'showWatcherPage',
      summary: 'Show the watchers of the key that a cookie names, or ask for a key',
      handle: (call) => show(call),
    }),
    define({
      ...common,
      method: 'POST',
      operation: 'useWatcherPage',
      summary: 'Show the watchers of a key, or take a step',
      body: WatchersForm,
      consumes: ['application/x-www-form-urlencoded'],
      bodyBytes: FORM_BYTES,
      handle: (call) => handle(call, call.body as Fields),
    }),
  ];
}

function createHandlers(context: WatcherPageContext, form: AccountForm) {
  const owners = new OwnerUses(context);
  const show = async (call: FormCall): Promise<Reply> => answer(await form.open(call), {});
  const handle = async (call: FormCall, fields: Fields): Promise<Reply> =>
    answer(await form.identify(call, fields), fields);
  return { show, handle };

  async function answer(sender: FormSender | Reply, fields: Fields): Promise<Reply> {
    if (!('caller' in sender)) return sender;
    await owners.record(sender.caller);
    const viewer: Viewer = { ...context, ...sender, isRemembered: context.keyForm.cookie.isUsed };
    const done = await takeStep(viewer, fields);
    const page = fields.watcher === undefined ? null : await showWatcher(viewer, fields.watcher, done.notice);
    const isUnknown = fields.watcher !== undefined && page === null;
    const notice = isUnknown ? UNKNOWN_WATCHER : done.notice;
    const text = page ?? (await showList(viewer, fields.cursor, notice));
    const reply = withHeaders(pageReply(isUnknown ? 404 : done.status, text), sender.headers);
    return withHeaders(reply, retryHeaders(done.error));
  }
}

const UNKNOWN_WATCHER = {
  text: 'You have no such watcher. It may have been deleted meanwhile.',
  isFault: true,
} as const;
