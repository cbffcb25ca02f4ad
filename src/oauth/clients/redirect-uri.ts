// Redirect URIs: which a client may register, how that of a request is compared, and which are local.

const MAX_URIS = 10;
const MAX_LENGTH = 2_048;

/** Schemes that apps are known to open without a dot in the name; others need one, as a domain in reverse has it. */
const APP_SCHEMES = new Set(['cursor', 'vscode', 'vscode-insiders', 'windsurf', 'claude']);

/** Schemes that run what they carry, read files or reach others than the app: never dropped in silence. */
const DANGEROUS_SCHEMES = new Set([
  ...['javascript', 'data', 'vbscript', 'file', 'filesystem', 'blob', 'about', 'mailto', 'view-source'],
  ...['ws', 'wss', 'ftp', 'ftps', 'chrome', 'intent', 'jar', 'resource'],
]);

/** What the answer adds: a redirect that has one of its own would show the client two. */
const ADDED = new Set(['code', 'state', 'iss', 'error', 'error_description', 'error_uri']);

/** The characters of a URI (RFC 3986) without the fragment's mark and the asterisk: a wildcard would be taken for one. */
const CHARACTERS = /^[\w.~:/?[\]@!$&'()+,;=%-]+$/;
const LOOPBACK = /^(https?):\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)(.*)$/;

/** `unlisted`: harmless, of a scheme that nobody here knows. Anything else: why it can never be one. */
type Finding = 'allowed' | 'unlisted' | { readonly fault: string };

/**
 * The redirect URIs of a client that registers or describes itself: those of schemes that are unknown here are left out
 * where others remain, and the same is not kept twice. A text says why the list cannot be taken.
 */
export function parseRedirectUris(value: unknown): readonly string[] | string {
  if (!Array.isArray(value) || value.length === 0) return 'redirect_uris must contain at least one URI';
  if (value.length > MAX_URIS) return `redirect_uris must not have more than ${MAX_URIS} entries`;
  const allowed = new Set<string>();
  for (const uri of value) {
    if (typeof uri !== 'string') return 'redirect_uris must be a list of strings';
    const finding = examine(uri);
    if (typeof finding === 'object') return `a redirect URI ${finding.fault}`;
    if (finding === 'allowed') allowed.add(uri);
  }
  if (allowed.size > 0) return [...allowed];
  return 'redirect_uris must have one of https, of http on localhost, 127.0.0.1 or [::1], or of a scheme with a dot';
}

/** Whether the URI of a request is one to which this client may be redirected, as the client's own list says. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return isRedirectUri(uri) && registered.some((known) => matches(known, uri));
}

/** Whether a URI may be redirected to at all. */
export function isRedirectUri(uri: string): boolean {
  return examine(uri) === 'allowed';
}

/** Whether a redirect stays on the computer of whoever asks. Texts are judged as they are written, not as parsers mend them. */
export function isLoopback(uri: string): boolean {
  return LOOPBACK.test(uri) && isRedirectUri(uri);
}

/**
 * Equal as texts; only of http on a loopback host the port is free, since programs take the one that they get
 * (RFC 8252, section 7.3). The three names of the host are not the same.
 */
function matches(known: string, uri: string): boolean {
  if (known === uri) return true;
  const [, knownScheme, knownHost, knownRest] = LOOPBACK.exec(known) ?? [];
  const [, scheme, host, rest] = LOOPBACK.exec(uri) ?? [];
  return knownScheme === 'http' && scheme === 'http' && knownHost === host && knownRest === rest;
}

function examine(uri: string): Finding {
  if (uri.length > MAX_LENGTH) return { fault: `must not be longer than ${MAX_LENGTH} characters` };
  if (uri.includes('#')) return { fault: 'must not have a fragment' };
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined) return { fault: 'must be absolute' };
  if (DANGEROUS_SCHEMES.has(scheme)) return { fault: `must not use the scheme ${scheme}` };
  if (!CHARACTERS.test(uri))
    return { fault: 'contains a wildcard or characters that are not allowed in a URI' };
  if (/^[^:]*:\/\/[^/?]*@/.test(uri)) return { fault: 'must not contain a user name or password' };
  if (!URL.canParse(uri)) return { fault: 'is not a URI' };
  if (hasAddedNames(uri)) return { fault: `must not have ${[...ADDED].join(', ')} in its query` };
  return scheme === 'https' || scheme === 'http' ? examineWeb(uri) : examineApp(uri, scheme);
}

function examineWeb(uri: string): Finding {
  // Parsers of the web find a host also behind one slash or three; whoever compares texts would not.
  if (!/^https?:\/\/[^/?]/.test(uri)) return { fault: 'must have a host, and its scheme in lower case' };
  if (!hasCanonicalHost(uri)) return { fault: 'must have its host written as browsers normalise it' };
  if (uri.startsWith('https:') || LOOPBACK.test(uri)) return 'allowed';
  return { fault: 'of http must be on localhost, 127.0.0.1 or [::1]' };
}

function examineApp(uri: string, scheme: string): Finding {
  if (uri.length <= scheme.length + 1) return { fault: 'must have more than a scheme' };
  return scheme.includes('.') || APP_SCHEMES.has(scheme) ? 'allowed' : 'unlisted';
}

function hasAddedNames(uri: string): boolean {
  const mark = uri.indexOf('?');
  if (mark < 0) return false;
  return [...new URLSearchParams(uri.slice(mark + 1)).keys()].some((name) => ADDED.has(name));
}

const AUTHORITY = /^https?:\/\/([^/?#\\]*)/i;

const PORT = /:\d*$/;

/** Domain names and IPv4 without a dot at the end, and IPv6 in brackets. Names of other alphabets are in Punycode. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/i;

/**
 * Whether the host of an http or https address is written as browsers read it, apart from its case. They decode percent
 * signs, compute numbers such as `127.1` and `0x7f000001`, map full-width letters and skip tabs: whoever compares or
 * shows the text would see another host than the one that is reached.
 */
export function hasCanonicalHost(address: string): boolean {
  const written = AUTHORITY.exec(address)?.[1]?.replace(PORT, '') ?? '';
  return HOST.test(written) && URL.parse(address)?.hostname === written.toLowerCase();
}
