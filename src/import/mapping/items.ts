// Texts and items of raw values.

import { parseJson } from '../../lib/parse.ts';

export interface Split {
  readonly separator: string;
  readonly empty: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, unknown>;
}

/** The items of a JSON array, which a text may hold too, or of a text between its separators. */
export function itemsOf(raw: unknown, text: string, { separator, empty, values }: Split): string[] {
  const list = Array.isArray(raw) ? raw : listInText(text);
  const items = list === null ? text.split(separator) : list.map((item) => textOf(item) ?? '');
  return items.flatMap((item) => {
    const trimmed = item.trim();
    if (empty.has(trimmed)) return [];
    const meant = values.get(trimmed);
    return meant === undefined ? [trimmed] : [meant].flat().flatMap((part) => textOf(part) ?? []);
  });
}

function listInText(text: string): readonly unknown[] | null {
  const list = text.startsWith('[') && text.endsWith(']') ? parseJson(text) : null;
  return Array.isArray(list) ? list : null;
}

/** The text of a raw value, without spaces around it; null for nothing. */
export function textOf(raw: unknown): string | null {
  if (typeof raw === 'string') return raw.trim();
  if (raw === null || raw === undefined) return null;
  return typeof raw === 'object' ? JSON.stringify(raw) : String(raw);
}
