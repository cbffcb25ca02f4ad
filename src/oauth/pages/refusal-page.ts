// Error pages. None of them links to where the client wanted to go.
import { html } from '../../page/html.ts';
import { renderDocument } from './document.ts';

export interface RefusalView {
  /** What is wrong, as a heading: `This app is not known here`. */
  readonly title: string;
  /** Sentences: what happened, and what to do next. Escaped; addresses in it stay text. */
  readonly detail: string;
  /** X-Request-Id, to be quoted to the operator. */
  readonly requestId?: string;
}

/** A request that cannot be answered by a redirect, because nobody knows whether the redirect is good. */
export function renderRefusal({ title, detail, requestId }: RefusalView): string {
  return renderDocument({
    title,
    content: html`<h1>${title}</h1><p class="lead">${detail}</p>
<p>Nothing has changed, and no access was given. You can close this page.</p>
${requestId === undefined ? null : html`<p class="hint">If you ask for help, quote <code>${requestId}</code>.</p>`}`,
  });
}

/** The service cannot decide at the moment. */
export function renderUnavailable(requestId?: string): string {
  return renderRefusal({
    title: 'Not possible at the moment',
    detail:
      'The service cannot do this at the moment. Wait a minute, go back in your browser, and try again. If that ' +
      'fails, start again from the app.',
    ...(requestId !== undefined && { requestId }),
  });
}
