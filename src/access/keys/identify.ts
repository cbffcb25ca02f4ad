// Identify phase: reads the Authorization header and passes its credential to the verifier of its kind.

import type { Access, Incoming } from '../../http/frame/route.ts';
import { Problem } from '../../lib/problem.ts';
import type { CredentialAttempt, FailureThrottle } from '../limits/failure-throttle.ts';
import { anonymous, type Principal } from '../tiers/tiers.ts';

/** Verifies one kind of credential. */
export interface CredentialVerifier {
  /** Whether this credential is of its kind; the first verifier that says so decides alone. */
  matches(credential: string): boolean;
  /**
   * The caller; throws a Problem with a 401 code when the credential is not valid. Calls `attempt.begin()` before it asks
   * anything outside this process about a credential that was never valid before.
   */
  verify(credential: string, attempt: CredentialAttempt): Principal | Promise<Principal>;
}

export interface IdentifyOptions {
  readonly verifiers: readonly CredentialVerifier[];
  readonly failures: FailureThrottle;
}

/**
 * Creates the identify phase. A credential that is missing where it is required, or invalid anywhere, is a 401 and charged
 * to the caller's address; an invalid one never makes an anonymous caller. The output adds the challenge.
 */
export function createIdentify({ verifiers, failures }: IdentifyOptions) {
  return async function identify(incoming: Incoming, access: Access): Promise<Principal> {
    if (access.credentials === 'none') return anonymous(incoming.address);
    const header = incoming.headers.authorization;
    const misplaced = header === undefined ? misplacedKey(incoming) : undefined;
    if (header === undefined && misplaced === undefined && access.credentials === 'optional')
      return anonymous(incoming.address);
    const attempt = failures.attempt(incoming.address);
    try {
      return await verify(verifiers, readCredential(header, misplaced), attempt);
    } catch (error) {
      // A refused credential is charged to its address; `fail` throws RATE_LIMITED instead where it was one too many.
      if (error instanceof Problem && error.status === 401) attempt.fail();
      throw error;
    } finally {
      attempt.end();
    }
  };
}

async function verify(
  verifiers: readonly CredentialVerifier[],
  credential: string,
  attempt: CredentialAttempt,
): Promise<Principal> {
  const verifier = verifiers.find((each) => each.matches(credential));
  if (verifier !== undefined) return verifier.verify(credential, attempt);
  throw new Problem('INVALID_TOKEN', 'The credential is neither an API key nor a valid access token.');
}

const REMEDY = 'Send an API key or an access token: Authorization: Bearer <credential>.';

/** Headers in which other services read keys: in lower case, and as people write them. */
const KEY_HEADERS = {
  'x-api-key': 'X-Api-Key',
  'api-key': 'Api-Key',
  apikey: 'Apikey',
  'x-auth-token': 'X-Auth-Token',
  'x-access-token': 'X-Access-Token',
} as const;

/** A header with a key that this service does not read; its value is never looked at. */
function misplacedKey({ headers }: Incoming): string | undefined {
  for (const [name, label] of Object.entries(KEY_HEADERS)) if (headers[name] !== undefined) return label;
  return undefined;
}

function readCredential(header: string | undefined, misplaced: string | undefined): string {
  if (misplaced !== undefined)
    throw new Problem('MISSING_API_KEY', `The header ${misplaced} is not supported. ${REMEDY}`);
  if (header === undefined)
    throw new Problem('MISSING_API_KEY', `This endpoint needs credentials. ${REMEDY}`);
  const [, scheme = '', credential = ''] = /^ *([^ ]*) *(.*)$/.exec(header) ?? [];
  if (scheme === '') throw new Problem('MISSING_API_KEY', `The Authorization header is empty. ${REMEDY}`);
  if (scheme.toLowerCase() !== 'bearer') {
    throw new Problem('INVALID_TOKEN', `The Authorization header must use the scheme Bearer. ${REMEDY}`);
  }
  if (credential === '') throw new Problem('MISSING_API_KEY', `No credential follows Bearer. ${REMEDY}`);
  return credential;
}
