// A query of text parameters as the JSON body that says the same.

import type { TObject } from 'typebox';
import type { Query } from './filters.ts';

interface Parameter {
  readonly type?: string;
  readonly items?: { readonly type?: string };
}

export function asBody(query: Query, schema: TObject): Record<string, unknown> {
  const scalar = (text: string, type: string | undefined) =>
    type === 'number' || type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : text;
  return Object.fromEntries(
    Object.entries(query).map(([name, text]) => {
      const { type, items } = (schema.properties[name] ?? {}) as Parameter;
      if (name === 'bbox') return [name, text.split(',').map(Number)];
      if (type !== 'array') return [name, scalar(text, type)];
      const parts = text.split(name === 'points' ? ';' : ',');
      return [name, parts.map((item) => scalar(item, items?.type))];
    }),
  );
}
