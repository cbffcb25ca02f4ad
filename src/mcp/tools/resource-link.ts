// Links from results of tools to resources, which a client can read and follow.

import type { ContentBlock } from '@modelcontextprotocol/server';

export interface ResourceId {
  readonly kind: 'listing' | 'property' | 'area' | 'watcher';
  readonly id: string;
}

/** The URI of a resource, such as `listing://lst_1`. */
export const resourceUri = ({ kind, id }: ResourceId): string => `${kind}://${encodeURIComponent(id)}`;

/** Links of one result. */
const MAX_LINKS = 25;

/** A link to each resource, in order and once. */
export function resourceLinks(ids: readonly ResourceId[]): ContentBlock[] {
  const byUri = new Map(ids.map((resource) => [resourceUri(resource), resource]));
  return [...byUri].slice(0, MAX_LINKS).map(([uri, { id }]) => ({
    ...{ type: 'resource_link', uri, name: id, mimeType: 'application/json' },
  }));
}
