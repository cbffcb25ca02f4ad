// JSON Merge Patch (RFC 7396). Pure.

import { isObject } from './own-fields.ts';

/** The target with the members of the patch: objects are merged, `null` removes, and anything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}
