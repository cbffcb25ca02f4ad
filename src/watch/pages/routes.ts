// Routes of the page about watchers: whoever types a key sees what its watchers told, and takes steps by forms.

import { Type } from 'typebox';
import { isSameOrigin, type KeyFields, type KeyForm } from '../../access/key-form/key-form.ts';
import { type KeyFault, keyFaultOf, keyPageReply } from '../../access/key-form/key-page.ts';
import { RequestThrottle } from '../../access/limits/request-throttle.ts';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type ErrorForm, type RequestContext, type Route, route } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
import { Problem } from '../../lib/problem.ts';
import { PAGE_HEADERS, pageReply, renderErrorPage } from '../../page/document.ts';
import type { WatcherOptions } from '../resolve-target.ts';
import { OwnerUses } from '../watcher-owner.ts';
import { renderKeyPage } from './list-page.ts';
import { showList, showWatcher, type Viewer } from './show.ts';
import { STEPS, type StepFields, takeStep } from './steps.ts';

const PATH = '/account/watchers';
const BODY_BYTES = 16_384;
/** Forms of one subscription in any minute: more than anybody clicks. */
const FORMS_PER_MINUTE = 60;

const field = () => Type.Optional(Type.String({ maxLength: 2_000 }));

const WatchersForm = Type.Object({
  ...{ api_key: field(), proof: field(), watcher: field(), cursor: field() },
  ...Object.fromEntries(STEPS.map((step) => [step, field()])),
});

interface Fields extends KeyFields, StepFields {
  /** The page of the list. */
  readonly cursor?: string;
}

export interface AccountContext extends WatcherOptions {
  readonly keyForm: KeyForm;
  readonly findOwnerPlan: Viewer['findOwnerPlan'];
}

type Call = Pick<RequestContext<Principal>, 'headers' | 'address' | 'requestId'>;

/** GET and POST /account/watchers. Like consent, not open to scripts of other pages. */
export function accountRoutes(context: AccountContext): readonly Route<Principal>[] {
  const define = route<Principal>();
  const handle = createHandler(context);
  const common = {
    ...{ path: PATH, tag: 'Watchers', page: true, ownQuery: true, anyAccept: true, accepts: ['text/html'] },
    access: { credentials: 'none', counts: 'nothing' },
    answer: { description: 'A page.', contentType: 'text/html' },
    errors: pageErrors,
  } as const;
  return [
    define({
      ...common,
      method: 'GET',
      operation: 'showAccount',
      summary: 'Show the page of watchers, which asks for a key',
      handle: () => keyReply(context, null),
    }),
    define({
      ...common,
      method: 'POST',
      operation: 'useAccount',
      summary: 'Show the watchers of a key, or take a step',
      body: WatchersForm,
      consumes: ['application/x-www-form-urlencoded'],
      bodyBytes: BODY_BYTES,
      handle: (call) => handle(call, call.body as Fields),
    }),
  ];
}

function keyReply({ publicUrl }: AccountContext, fault: KeyFault | null, error?: unknown): Reply {
  const { headers, ...reply } = keyPageReply(renderKeyPage(fault), fault, publicUrl);
  return { ...reply, headers: { ...headers, ...retryHeaders(error) } };
}

function retryHeaders(error: unknown): Readonly<Record<string, string>> {
  const wait = error instanceof Problem ? error.headers['retry-after'] : undefined;
  return wait === undefined ? {} : { 'retry-after': wait };
}

function createHandler(context: AccountContext) {
  const { keyForm, publicUrl, clock } = context;
  const throttle = new RequestThrottle(clock, FORMS_PER_MINUTE);
  const owners = new OwnerUses(context);

  /** The caller with a new proof; a reply where the key or proof is not good. */
  async function identify(call: Call, fields: Fields): Promise<Viewer | Reply> {
    try {
      const holder = await keyForm.identify(PATH, fields, call.address);
      if (holder === null) return keyReply(context, 'stale');
      const wait = throttle.take(holder.subscription);
      if (wait > 0) return tooManyForms(call, wait);
      const caller = await keyForm.resolveCaller(holder);
      await owners.record(caller);
      return { ...context, caller, proof: await keyForm.signProof(PATH, holder.subscription) };
    } catch (error) {
      const fault = keyFaultOf(error);
      if (fault === null) throw error;
      return keyReply(context, fault, error);
    }
  }

  return async (call: Call, fields: Fields): Promise<Reply> => {
    if (!isSameOrigin(call.headers, publicUrl)) return foreignForm(call);
    const viewer = await identify(call, fields);
    if (!('caller' in viewer)) return viewer;
    const done = await takeStep(viewer, fields);
    const page = fields.watcher === undefined ? null : await showWatcher(viewer, fields.watcher, done.notice);
    const isUnknown = fields.watcher !== undefined && page === null;
    const notice = isUnknown ? UNKNOWN_WATCHER : done.notice;
    const text = page ?? (await showList(viewer, fields.cursor, notice));
    const reply = pageReply(isUnknown ? 404 : done.status, text);
    return { ...reply, headers: { ...reply.headers, ...retryHeaders(done.error) } };
  };
}

const UNKNOWN_WATCHER = {
  text: 'You have no such watcher. It may have been deleted meanwhile.',
  isFault: true,
} as const;

function foreignForm({ requestId }: Call): Reply {
  const detail = 'Another site sent this form. Open the page of this service, and type your key there.';
  return pageReply(403, renderError({ title: 'Not done', detail, requestId }));
}

function tooManyForms({ requestId }: Call, wait: number): Reply {
  const detail =
    'Very many forms were sent with your key just now. Wait a minute, then go back and try again.';
  const reply = pageReply(429, renderError({ title: 'Too many requests', detail, requestId }));
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(wait) } };
}

function renderError(view: {
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
}): string {
  return renderErrorPage({ ...view, closing: 'Nothing has changed.' });
}

/** Errors outside the handler: those of the frame, and unexpected ones. */
const pageErrors: ErrorForm = {
  write({ problem, requestId, headers }) {
    const detail =
      problem.status >= 500
        ? 'The service cannot do this at the moment. Wait a minute, go back in your browser, and try again.'
        : problem.message;
    const text = renderError({ title: problem.title, detail, requestId });
    return { status: problem.status, text, headers: { ...headers, ...PAGE_HEADERS } };
  },
  answers: {},
  content: { 'text/html': { type: 'string' } },
};
