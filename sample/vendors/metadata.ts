// Metadata document of a vendor: its own fields, the names of its enumerations, and the resources that it serves by themselves.

import type { Answer } from '../answer.ts';
import { CHILD_FIELDS, metadataXml } from '../odata/metadata.ts';
import type { Quirks } from './quirks.ts';
import { annotatedName, isAnnotated, ownFields } from './records.ts';
import { isOfResource, RESOURCE_FIELDS } from './resources.ts';
import type { VendorRules } from './rules.ts';

export function vendorMetadata(
  rules: VendorRules,
  quirks: Quirks,
  textOf: (lookup: string, value: string) => string,
): Answer {
  const resources = [...rules.resources, ...quirks.resources];
  const fieldsOf = (name: string) => ({
    ...(RESOURCE_FIELDS[name] ?? CHILD_FIELDS[name]),
    ...(name === 'EntityEvent' ? {} : { [rules.watermark]: 'DateTimeOffset' }),
  });
  const body = metadataXml({
    fields: ownFields(rules),
    isMediaInline: rules.media === 'inline',
    nameOf: (field, value) => (isAnnotated(field, rules) ? annotatedName(value) : null),
    renamed: quirks.renamed,
    lacks: (name) => isOfResource(name, resources),
    lookup: quirks.lookups === 'absent' ? null : rules.originatingSystem ? ['OriginatingSystemName'] : [],
    textOf,
    resources: Object.fromEntries(resources.map((name) => [name, fieldsOf(name)])),
  });
  return { status: 200, headers: { 'Content-Type': 'application/xml; charset=utf-8' }, body };
}
