// Failures of outbound HTTP: why a request got no answer.

/**
 * timeout: no connection or no complete answer in time. refused: nobody listens, or no route. reset: closed on the way.
 * unresolved: the name has no address. too_large: more bytes than allowed. malformed: not HTTP, or not in the coding it claims.
 * tls: the certificate or the handshake. forbidden_address, invalid_url: not tried. aborted: the caller left.
 */
export type FailureKind =
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'unresolved'
  | 'too_large'
  | 'malformed'
  | 'tls'
  | 'forbidden_address'
  | 'invalid_url'
  | 'aborted';

export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

const FAILURE_KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'refused'],
  [/^(?:ENOTFOUND|EAI_\w+|ESERVFAIL|EREFUSED|ENODATA)$/, 'unresolved'],
  [
    /^(?:HTTPParserError|HPE_\w+|Z_\w+|ERR_BROTLI\w*|ERR__ERROR\w*|UND_ERR_RES\w*|UND_ERR_HEADERS_OVERFLOW)$/,
    'malformed',
  ],
  [
    /^(?:ERR_SSL\w*|ERR_TLS\w*|EPROTO|CERT_\w+|SELF_SIGNED\w*|DEPTH_ZERO\w*|UNABLE_TO\w*|ERR_OSSL\w*)$/,
    'tls',
  ],
];

/** The failure for an error of undici, the resolver, TLS or a decompressor; unknown ones are `reset`. */
export function failureOf(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  const kind = FAILURE_KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? 'reset';
  return new OutboundFailure(kind, error instanceof Error ? error.message : 'Unknown failure', error);
}

/** undici's parser errors have no code, only a name. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
