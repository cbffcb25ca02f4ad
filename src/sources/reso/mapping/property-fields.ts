// Property fields that the mapping reads.

import { FEATURE_FIELDS } from './features.ts';
import FIELDS from './fields.json' with { type: 'json' };

/** Every field that the mapping reads. */
export const PROPERTY_FIELDS: readonly string[] = [...new Set([...FIELDS, ...FEATURE_FIELDS])].sort();
