// Redirect URIs: validation, comparison with the registered ones, loopback addresses, and canonical hosts.

const MAX_URIS = 10;
const MAX_LENGTH = 2_048;

/** Known schemes of apps without a dot; others need one, as a reversed domain has. */
const APP_SCHEMES = new Set(['cursor', 'vscode', 'vscode-insiders', 'windsurf', 'claude']);

/** Schemes that run code, read files or reach others than the app: they refuse the whole list. */
const DANGEROUS_SCHEMES = new Set([
  'javascript',
  'data',
  'vbscript',
  'file',
  'filesystem',
  'blob',
  'about',
  'mailto',
  'view-source',
  'ws',
  'wss',
  'ftp',
  'ftps',
  'chrome',
  'intent',
  'jar',
  'resource',
]);

/** Parameters of the authorization response: with one of its own, a redirect would carry two. */
const RESPONSE_PARAMETERS = new Set(['code', 'state', 'iss', 'error', 'error_description', 'error_uri']);

/** The characters of a URI (RFC 3986) without the fragment's mark, and without the asterisk: it is no wildcard here. */
const CHARACTERS = /^[\w.~:/?[\]@!$&'()+,;=%-]+$/;
const LOOPBACK = /^(https?):\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)(.*)$/;

/** `unlisted`: harmless, but of an unknown scheme. `fault`: why it is refused. */
type Validation = 'allowed' | 'unlisted' | { readonly fault: string };

/**
 * The redirect URIs of a client's metadata without duplicates, and without those of unknown schemes if others remain.
 * A string says why the list is invalid.
 */
export function parseRedirectUris(value: unknown): readonly string[] | string {
  if (!Array.isArray(value) || value.length === 0) return 'redirect_uris must contain at least one URI';
  if (value.length > MAX_URIS) return `redirect_uris must not have more than ${MAX_URIS} entries`;
  const allowed = new Set<string>();
  for (const uri of value) {
    if (typeof uri !== 'string') return 'redirect_uris must be a list of strings';
    const validation = validate(uri);
    if (typeof validation === 'object') return `a redirect URI ${validation.fault}`;
    if (validation === 'allowed') allowed.add(uri);
  }
  if (allowed.size > 0) return [...allowed];
  return 'redirect_uris must have one of https, of http on localhost, 127.0.0.1 or [::1], or of a scheme with a dot';
}

/** Whether the URI of a request matches one that the client registered. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return isRedirectUri(uri) && registered.some((own) => matches(own, uri));
}

/** Whether a URI may be redirected to at all. */
export function isRedirectUri(uri: string): boolean {
  return validate(uri) === 'allowed';
}

/** Whether a redirect stays on the person's own computer. Compares the text as written, before a parser corrects it. */
export function isLoopback(uri: string): boolean {
  return LOOPBACK.test(uri) && isRedirectUri(uri);
}

/**
 * Equal as texts, except for the port of http on a loopback host, which programs cannot choose (RFC 8252, section 7.3).
 * The three names of that host are not interchangeable.
 */
function matches(registered: string, uri: string): boolean {
  if (registered === uri) return true;
  const [, ownScheme, ownHost, ownRest] = LOOPBACK.exec(registered) ?? [];
  const [, scheme, host, rest] = LOOPBACK.exec(uri) ?? [];
  return ownScheme === 'http' && scheme === 'http' && ownHost === host && ownRest === rest;
}

function validate(uri: string): Validation {
  if (uri.length > MAX_LENGTH) return { fault: `must not be longer than ${MAX_LENGTH} characters` };
  if (uri.includes('#')) return { fault: 'must not have a fragment' };
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) return { fault: 'must be absolute' };
  if (DANGEROUS_SCHEMES.has(scheme)) return { fault: `must not use the scheme ${scheme}` };
  if (!CHARACTERS.test(uri))
    return { fault: 'contains a wildcard or characters that are not allowed in a URI' };
  if (/^[^:]*:\/\/[^/?]*@/.test(uri)) return { fault: 'must not contain a user name or password' };
  if (!URL.canParse(uri)) return { fault: 'is not a URI' };
  if (hasResponseParameter(uri))
    return { fault: `must not have ${[...RESPONSE_PARAMETERS].join(', ')} in its query` };
  return scheme === 'https' || scheme === 'http' ? validateWeb(uri) : validateApp(uri, scheme);
}

function validateWeb(uri: string): Validation {
  // Browsers also find a host behind one slash or three; a comparison of texts does not.
  if (!/^https?:\/\/[^/?]/.test(uri)) return { fault: 'must have a host, and its scheme in lower case' };
  if (!hasCanonicalHost(uri)) return { fault: 'must have its host written as browsers normalise it' };
  if (uri.startsWith('https:') || LOOPBACK.test(uri)) return 'allowed';
  return { fault: 'of http must be on localhost, 127.0.0.1 or [::1]' };
}

function validateApp(uri: string, scheme: string): Validation {
  if (uri.length <= scheme.length + 1) return { fault: 'must have more than a scheme' };
  return scheme.includes('.') || APP_SCHEMES.has(scheme) ? 'allowed' : 'unlisted';
}

function hasResponseParameter(uri: string): boolean {
  const [, query = ''] = /\?(.*)/s.exec(uri) ?? [];
  return new URLSearchParams(query).keys().some((name) => RESPONSE_PARAMETERS.has(name));
}

const AUTHORITY = /^https?:\/\/([^/?#\\]*)/i;
/** Domain names and IPv4 addresses without a final dot, and IPv6 in brackets. Names in other scripts are in Punycode. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/i;

/**
 * Whether the host of an http or https URL is written as browsers normalise it, apart from case. Browsers decode percent
 * signs, compute addresses such as `127.1` and `0x7f000001`, map full-width letters and skip tabs: a person who reads the
 * text, or code that compares it, would see another host than the one that is reached.
 */
export function hasCanonicalHost(url: string): boolean {
  const host = AUTHORITY.exec(url)?.[1]?.replace(/:\d*$/, '') ?? '';
  return HOST.test(host) && URL.parse(url)?.hostname === host.toLowerCase();
}
