// Forms of the pages that are opened by a key: who sent one, and the pages that refuse it.

import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorForm } from '../../http/frame/route.ts';
import type { Headers, Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { type ErrorPageView, pageHeaders, pageReply, renderErrorPage } from '../../page/form-page.ts';
import { createServiceThrottle } from '../limits/request-throttle.ts';
import type { SharedCounting } from '../limits/shared/shared-counting.ts';
import type { Principal } from '../tiers/tiers.ts';
import { isOwnForm, type KeyFields, type KeyForm, type KeyHolder } from './key-form.ts';
import { type KeyFault, keyFaultOf, keyPageReply } from './key-page.ts';

/** Bytes of a form. */
const FORM_BYTES = 16_384;
/** Forms of one subscription in any minute: more than anybody clicks. */
const FORMS_PER_MINUTE = 60;

/** What a form is judged by. */
export interface FormCall {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly requestId: string;
  /** Path and query. */
  readonly url: string;
}

/** Whoever sent a form, with the proof that replaces the key in the next one. */
export interface FormSender {
  readonly caller: Principal;
  /** Wall-clock milliseconds at which the subscription ends; null when no end is known. */
  readonly endsAt: number | null;
  readonly proof: string;
}

/** Makes the page of whoever opened it or sent its form. */
export type ShowPage = (sender: FormSender) => Promise<Reply>;

export interface AccountForm {
  /** The page, for whoever the cookie names; without a good cookie the page that asks for a key. */
  open(call: FormCall, show: ShowPage): Promise<Reply>;
  /** The page, for whoever sent its form; a refusal where no page of ours sent it, or its key or proof is not good. */
  submit(call: FormCall, fields: KeyFields, show: ShowPage): Promise<Reply>;
}

export interface AccountFormOptions {
  /** Path of the page: a proof of one page opens no other. */
  readonly path: string;
  readonly keyForm: KeyForm;
  readonly publicUrl: string;
  readonly clock: Clock;
  /** Counts with other processes; null or absent: this one counts alone. */
  readonly counting?: SharedCounting | null | undefined;
  readonly renderKeyPage: (fault: KeyFault | null) => string;
}

export function createAccountForm(options: AccountFormOptions): AccountForm {
  const { path, keyForm, publicUrl, renderKeyPage } = options;
  const throttle = createServiceThrottle(options, `forms-${path}`, FORMS_PER_MINUTE);

  function keyReply(fault: KeyFault | null, error?: unknown): Reply {
    const reply = keyPageReply(renderKeyPage(fault), fault, publicUrl);
    return withHeaders(reply, { ...VARY, ...retryHeaders(error) });
  }

  /** The sender that a key belongs to, with the headers of the reply; the refusal of one that sends too many forms. */
  async function admit(
    call: FormCall,
    holder: KeyHolder,
    isRemembered: boolean,
  ): Promise<{ readonly sender: FormSender; readonly headers: Headers } | Reply> {
    const wait = await throttle.take(holder.subscription);
    if (wait > 0) return tooManyForms(call, wait);
    const { caller, endsAt } = await keyForm.resolveCaller(holder);
    const cookie = isRemembered ? await keyForm.cookie.remember(holder.subscription) : {};
    const proof = await keyForm.signProof(path, holder.subscription);
    return { sender: { caller, endsAt, proof }, headers: { ...VARY, ...cookie } };
  }

  /** The page once its reader is known. Faults of the key are refused; those of the page itself are thrown. */
  async function reply(admitting: ReturnType<typeof admit>, show: ShowPage): Promise<Reply> {
    const admitted = await admitting.catch((error: unknown): Reply => {
      const fault = keyFaultOf(error);
      if (fault === null) throw error;
      return keyReply(fault, error);
    });
    if (!('sender' in admitted)) return admitted;
    return withHeaders(await show(admitted.sender), admitted.headers);
  }

  return {
    async open(call, show) {
      const subscription = await keyForm.cookie.read(call.headers);
      if (subscription === null) return keyReply(null);
      return reply(admit(call, { subscription, status: null }, true), show);
    },
    async submit(call, fields, show) {
      if (!isOwnForm(call.headers, publicUrl)) return foreignForm(call);
      const admitting = keyForm.identify(path, fields, call.address).then(async (holder) => {
        if (holder === null) return keyReply('stale');
        return admit(call, holder, await isToRemember(keyForm.cookie, call.headers, holder));
      });
      return reply(admitting, show);
    },
  };
}

/** True after a key was typed, or while the cookie is there: once it was forgotten, no proof brings it back. */
export async function isToRemember(
  cookie: KeyForm['cookie'],
  headers: IncomingHttpHeaders,
  { subscription, status }: KeyHolder,
): Promise<boolean> {
  return status !== null || (await cookie.read(headers)) === subscription;
}

/** What a page of the account shows depends on its cookie. */
export const VARY = { vary: 'cookie' } as const;

/** How long to wait, of an error that says so. */
export function retryHeaders(error: unknown): Headers {
  const wait = error instanceof Problem ? error.headers['retry-after'] : undefined;
  return wait === undefined ? {} : { 'retry-after': wait };
}

export function withHeaders(reply: Reply, headers: Headers): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** The refusal of a form that a page of another site sent. */
export function foreignForm({ requestId, url }: Pick<FormCall, 'requestId' | 'url'>): Reply {
  const detail = 'Another site sent this form. Open the page of this service, and fill the form in there.';
  return pageReply(403, renderRefusal({ path: url, title: 'Not done', detail, requestId }));
}

function tooManyForms({ requestId, url }: FormCall, wait: number): Reply {
  const detail =
    'Very many forms were sent with your key just now. Wait a minute, then go back and try again.';
  const reply = pageReply(429, renderRefusal({ path: url, title: 'Too many requests', detail, requestId }));
  return withHeaders(reply, { 'retry-after': String(wait) });
}

/** An error page of something that was not done. */
export function renderRefusal(view: Omit<ErrorPageView, 'closing'>): string {
  return renderErrorPage({ ...view, closing: 'Nothing has changed.' });
}

/** Errors outside the handlers: those of the frame, and unexpected ones. */
const pageErrors: ErrorForm = {
  write({ problem, requestId, url, headers }) {
    const detail =
      problem.status >= 500
        ? 'The service cannot do this at the moment. Wait a minute, go back in your browser, and try again.'
        : problem.message;
    const text = renderRefusal({ path: url, title: problem.title, detail, requestId });
    return { status: problem.status, text, headers: { ...headers, ...pageHeaders() } };
  },
  answers: {},
  content: { 'text/html': { type: 'string' } },
};

/** What the routes of these pages have in common. Like consent, they are not open to scripts of other pages. */
export const PAGE_ROUTE = {
  page: true,
  ownQuery: true,
  anyAccept: true,
  accepts: ['text/html'],
  access: { credentials: 'none', counts: 'nothing' },
  answer: { description: 'A page.', contentType: 'text/html' },
  errors: pageErrors,
} as const;

/** How these pages send their forms. */
export const FORM_BODY = {
  consumes: ['application/x-www-form-urlencoded'],
  bodyBytes: FORM_BYTES,
} as const;
