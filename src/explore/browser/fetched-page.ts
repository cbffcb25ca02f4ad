// Page of the service as its reader would get it, signed in or not: parsed by the browser, without being gone to.

import { token } from './session.ts';

/** Milliseconds after which an answer is no longer waited for. */
const TIMEOUT = 30_000;

export interface FetchedPage {
  readonly status: number;
  /** Its scripts never run, and no text of it becomes HTML by this page's doing. */
  readonly content: Document;
  /** Seconds after which it is to be loaded again; null: it is whole. */
  readonly refresh: number | null;
}

/** Rejects where the service cannot be reached or answers with no page, or with the signal's reason. */
export async function fetchPage(url: string, signal: AbortSignal): Promise<FetchedPage> {
  const credential = await token();
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', url);
    request.responseType = 'document';
    request.timeout = TIMEOUT;
    if (credential !== null) request.setRequestHeader('authorization', `Bearer ${credential}`);
    request.onload = () => {
      const { status, responseXML: content } = request;
      if (content === null) return reject(new Error(`The service answered with ${status}.`));
      const refresh = request.getResponseHeader('refresh');
      resolve({ status, content, refresh: refresh === null ? null : Number(refresh) });
    };
    request.onerror = () => reject(new Error('The service cannot be reached.'));
    request.ontimeout = () => reject(new Error('The service does not answer.'));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send();
  });
}
