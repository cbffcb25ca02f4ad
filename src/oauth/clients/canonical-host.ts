// Canonical hosts of web addresses: written the way browsers read them.

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
