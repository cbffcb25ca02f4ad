// Owns the question who is calling: reads the Authorization header and hands its credential to whoever can judge it.
import type { Access, Incoming } from '../../http/frame/route.ts';
import { Problem } from '../../lib/problem.ts';
import { anonymous } from '../limits/anonymous.ts';
import type { Attempt, Failures } from '../limits/failures.ts';
import type { Principal } from '../tiers/principal.ts';

/** Judges one kind of credential. */
export interface CredentialVerifier {
  /** Whether this credential is of its kind; the first verifier that says so decides alone. */
  matches(credential: string): boolean;
  /**
   * Who sent it; throws a Problem with a 401 code when the credential is not good. Calls `attempt.begin()` before it
   * asks anybody outside this process about a credential that it has never seen to be good.
   */
  verify(credential: string, attempt: Attempt): Principal | Promise<Principal>;
}

export interface IdentifyOptions {
  readonly verifiers: readonly CredentialVerifier[];
  readonly failures: Failures;
}

/**
 * Makes the identify phase. A credential that is missing where it is needed, or wrong anywhere, is a 401 and charged
 * to the caller's address; a wrong one never makes an anonymous caller. The challenge is added where answers are written.
 */
export function createIdentify({ verifiers, failures }: IdentifyOptions) {
  return async function identify(incoming: Incoming, access: Access): Promise<Principal> {
    if (access.credentials === 'none') return anonymous(incoming.address);
    if (incoming.authorizations > 1)
      throw new Problem('INVALID_REQUEST', 'Send one Authorization header only.');
    const header = incoming.headers.authorization;
    const misplaced = header === undefined ? misplacedKey(incoming) : undefined;
    if (header === undefined && misplaced === undefined && access.credentials === 'optional')
      return anonymous(incoming.address);
    const attempt = failures.attempt(incoming.address);
    try {
      return await judge(verifiers, readCredential(header, misplaced), attempt);
    } catch (error) {
      // A refused credential is charged to its address, which may be one too many.
      if (error instanceof Problem && error.status === 401) attempt.failed();
      throw error;
    } finally {
      attempt.end();
    }
  };
}

function judge(
  verifiers: readonly CredentialVerifier[],
  credential: string,
  attempt: Attempt,
): Principal | Promise<Principal> {
  const verifier = verifiers.find((each) => each.matches(credential));
  if (verifier !== undefined) return verifier.verify(credential, attempt);
  throw new Problem('INVALID_TOKEN', 'The credential is neither an API key nor a valid access token.');
}

const REMEDY = 'Send an API key or an access token: Authorization: Bearer <credential>.';

/** Headers in which others want their keys; in lower case, and as people write them. */
const KEY_HEADERS = {
  'x-api-key': 'X-Api-Key',
  'api-key': 'Api-Key',
  apikey: 'Apikey',
  'x-auth-token': 'X-Auth-Token',
  'x-access-token': 'X-Access-Token',
} as const;

/** The header that a key was sent in which is not read here. What it holds is looked at by nobody. */
function misplacedKey({ headers }: Incoming): string | undefined {
  for (const [name, written] of Object.entries(KEY_HEADERS)) if (headers[name] !== undefined) return written;
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
