// Error of a client document: which step failed, and what its developer can do.

/**
 * url: the address itself. unreachable: no answer could be had. answer: it is not what it must be. document: what the
 * document says. busy: too many addresses were looked up; `retryAfter` tells when to come again.
 */
export type ClientDocumentErrorKind = 'url' | 'unreachable' | 'answer' | 'document' | 'busy';

/** The message is a sentence for whoever develops the client; it may hold parts of the address and of the document. */
export class ClientDocumentError extends Error {
  override readonly name = 'ClientDocumentRefusal';
  readonly kind: ClientDocumentErrorKind;
  /** Seconds; null where waiting does not help. */
  readonly retryAfter: number | null;

  constructor(
    kind: ClientDocumentErrorKind,
    message: string,
    options: { readonly retryAfter?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.retryAfter = options.retryAfter ?? null;
  }
}
