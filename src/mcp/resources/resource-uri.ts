// URIs of resources: the kind of a thing as the scheme, and its id.

export const RESOURCE_KINDS = ['listing', 'property', 'area', 'watcher'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

export interface ResourceId {
  readonly kind: ResourceKind;
  readonly id: string;
}

const FORM = new RegExp(`^(${RESOURCE_KINDS.join('|')})://([^/?#\\s]{1,600})$`);

/** The thing that a URI such as `listing://lst_1` names; null where it names none. Ids are percent-encoded. */
export function parseResourceUri(uri: string): ResourceId | null {
  const [, kind, encoded = ''] = FORM.exec(uri) ?? [];
  const known = RESOURCE_KINDS.find((each) => each === kind);
  const id = decode(encoded);
  return known === undefined || id === null ? null : { kind: known, id };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
