// Bounds of open connections: those of the operator, or what the file descriptors of the process permit.

export interface ConnectionBounds {
  readonly connections: number;
  /** Per IPv4 address, or per IPv6 /64. */
  readonly connectionsPerAddress: number;
}

/** Maximum number of connections unless the operator or the system sets a lower one. */
const MAX_CONNECTIONS = 10_000;
/** File descriptors reserved for the database, sources, files and refused connections. */
const RESERVE = 96;

/**
 * Effective limits. Unset ones follow from the file descriptors of the process: a quarter of them, and at least RESERVE,
 * stays free; one address gets half of the rest.
 * @param descriptors null if the system does not say
 */
export function connectionBounds(
  set: { readonly [name in keyof ConnectionBounds]: number | null },
  descriptors: number | null,
): ConnectionBounds {
  const free = descriptors === null ? MAX_CONNECTIONS : descriptors - Math.max(RESERVE, descriptors / 4);
  const connections = set.connections ?? Math.max(16, Math.min(MAX_CONNECTIONS, Math.floor(free)));
  return {
    connections,
    connectionsPerAddress: set.connectionsPerAddress ?? Math.ceil(connections / 2),
  };
}
