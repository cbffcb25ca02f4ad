// Owns the rule that a client may ask for less than it was granted, and never for more.

/** Scopes of OpenID Connect that clients send along everywhere: they ask for nothing here. */
const TOLERATED: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/** The scopes of a new token; null where one was asked for that is not granted. Nothing asked for: all. */
export function narrowScope(granted: string, asked: string | undefined): string | null {
  const held = granted.split(' ');
  const wanted = words(asked ?? '').filter((scope) => !TOLERATED.has(scope));
  if (wanted.length === 0) return granted;
  if (wanted.some((scope) => !held.includes(scope))) return null;
  return held.filter((scope) => wanted.includes(scope)).join(' ');
}

/** The resources of a new token, as they were granted; null where one was asked for that is not. Nothing asked for: all. */
export function narrowResources(
  granted: readonly string[],
  asked: readonly string[],
): readonly string[] | null {
  const wanted = asked.map(withoutSlash);
  if (wanted.length === 0) return granted;
  if (wanted.some((resource) => !granted.includes(resource))) return null;
  return granted.filter((resource) => wanted.includes(resource));
}

/** A resource as it is kept: some clients add the slash that others take away. */
export function withoutSlash(resource: string): string {
  return resource.replace(/\/$/, '');
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}
