// Links from results of tools to resources, which a client can read and follow: their URIs.

export interface ResourceId {
  readonly kind: 'listing' | 'property' | 'area' | 'watcher';
  readonly id: string;
}

/** The URI of a resource, such as `listing://lst_1`. */
export const resourceUri = ({ kind, id }: ResourceId): string => `${kind}://${encodeURIComponent(id)}`;

/** Links of one result. */
const MAX_LINKS = 25;

/** The URI of each resource, in order and once. */
export function resourceUris(ids: readonly ResourceId[]): readonly string[] {
  return [...new Set(ids.map(resourceUri))].slice(0, MAX_LINKS);
}
