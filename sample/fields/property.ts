// Fields of the Property resource, in the order in which they are served.
import { buildingFields } from './building.ts';
import type { Field } from './field.ts';
import { identityFields } from './identity.ts';
import { placeFields } from './place.ts';
import { termFields } from './terms.ts';

export const propertyFields: ReadonlyMap<string, Field> = new Map(
  [...identityFields, ...placeFields, ...buildingFields, ...termFields].map((entry) => [entry.name, entry]),
);
