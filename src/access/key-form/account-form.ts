// Forms of the pages that are opened by a key: who sent one, and the pages that refuse it.

import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorForm } from '../../http/frame/route.ts';
import type { Reply } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { PAGE_HEADERS, pageReply, renderErrorPage } from '../../page/document.ts';
import { RequestThrottle } from '../limits/request-throttle.ts';
import type { Principal } from '../tiers/tiers.ts';
import { isSameOrigin, type KeyFields, type KeyForm, type KeyHolder } from './key-form.ts';
import { type KeyFault, keyFaultOf, keyPageReply } from './key-page.ts';

/** Bytes of a form. */
export const FORM_BYTES = 16_384;
/** Forms of one subscription in any minute: more than anybody clicks. */
const FORMS_PER_MINUTE = 60;

/** What a form is judged by. */
export interface FormCall {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly requestId: string;
}

/** Whoever sent a form, with the proof that replaces the key in the next one. */
export interface FormSender {
  readonly caller: Principal;
  /** Wall-clock milliseconds at which the subscription ends; null when no end is known. */
  readonly endsAt: number | null;
  readonly proof: string;
}

export interface AccountForm {
  /** The page that asks for a key. */
  keyReply(fault: KeyFault | null, error?: unknown): Reply;
  /** Who sent a form; a reply where another site sent it, or its key or proof is not good. */
  identify(call: FormCall, fields: KeyFields): Promise<FormSender | Reply>;
}

export interface AccountFormOptions {
  /** Path of the page: a proof of one page opens no other. */
  readonly path: string;
  readonly keyForm: KeyForm;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly renderKeyPage: (fault: KeyFault | null) => string;
}

export function createAccountForm(options: AccountFormOptions): AccountForm {
  const { path, keyForm, publicUrl, clock, renderKeyPage } = options;
  const throttle = new RequestThrottle(clock, FORMS_PER_MINUTE);

  function keyReply(fault: KeyFault | null, error?: unknown): Reply {
    return withHeaders(keyPageReply(renderKeyPage(fault), fault, publicUrl), retryHeaders(error));
  }

  async function senderOf(holder: KeyHolder): Promise<FormSender> {
    const { caller, endsAt } = await keyForm.resolveCaller(holder);
    return { caller, endsAt, proof: await keyForm.signProof(path, holder.subscription) };
  }

  return {
    keyReply,
    async identify(call, fields) {
      if (!isSameOrigin(call.headers, publicUrl)) return foreignForm(call);
      try {
        const holder = await keyForm.identify(path, fields, call.address);
        if (holder === null) return keyReply('stale');
        const wait = throttle.take(holder.subscription);
        return wait > 0 ? tooManyForms(call, wait) : await senderOf(holder);
      } catch (error) {
        const fault = keyFaultOf(error);
        if (fault === null) throw error;
        return keyReply(fault, error);
      }
    },
  };
}

/** How long to wait, of an error that says so. */
export function retryHeaders(error: unknown): Readonly<Record<string, string>> {
  const wait = error instanceof Problem ? error.headers['retry-after'] : undefined;
  return wait === undefined ? {} : { 'retry-after': wait };
}

export function withHeaders(reply: Reply, headers: Readonly<Record<string, string>>): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** The refusal of a form that a page of another site sent. */
export function foreignForm({ requestId }: Pick<FormCall, 'requestId'>): Reply {
  const detail = 'Another site sent this form. Open the page of this service, and fill the form in there.';
  return pageReply(403, renderRefusal({ title: 'Not done', detail, requestId }));
}

function tooManyForms({ requestId }: FormCall, wait: number): Reply {
  const detail =
    'Very many forms were sent with your key just now. Wait a minute, then go back and try again.';
  const reply = pageReply(429, renderRefusal({ title: 'Too many requests', detail, requestId }));
  return withHeaders(reply, { 'retry-after': String(wait) });
}

/** An error page of something that was not done. */
export function renderRefusal(view: {
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
}): string {
  return renderErrorPage({ ...view, closing: 'Nothing has changed.' });
}

/** Errors outside the handlers: those of the frame, and unexpected ones. */
export const pageErrors: ErrorForm = {
  write({ problem, requestId, headers }) {
    const detail =
      problem.status >= 500
        ? 'The service cannot do this at the moment. Wait a minute, go back in your browser, and try again.'
        : problem.message;
    const text = renderRefusal({ title: problem.title, detail, requestId });
    return { status: problem.status, text, headers: { ...headers, ...PAGE_HEADERS } };
  },
  answers: {},
  content: { 'text/html': { type: 'string' } },
};
