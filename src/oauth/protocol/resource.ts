// Owns which protected resources a token can be meant for (RFC 8707), and how clients may write them.

/** The resources of this service: its API, and the MCP endpoint. */
export function resourcesAt(publicUrl: string): readonly [api: string, mcp: string] {
  return [publicUrl, `${publicUrl}/mcp`];
}

/**
 * The resources that a client asks for, as they are kept; null where one of them is not here. Some clients add a slash
 * at the end, which means the same. Without any, a token is good at both.
 */
export function readResources(asked: readonly string[], publicUrl: string): readonly string[] | null {
  const known = resourcesAt(publicUrl);
  if (asked.length === 0) return known;
  const wanted = asked.map((resource) => resource.replace(/\/$/, ''));
  return wanted.every((resource) => known.includes(resource))
    ? known.filter((resource) => wanted.includes(resource))
    : null;
}
