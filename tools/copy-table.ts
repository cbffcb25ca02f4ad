// Prints a table that PostgreSQL's COPY loads exports into, from openapi.json: `node tools/copy-table.ts > docs/examples/listings.sql`.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
}

const { components } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Members that CSV has only on request. */
const ON_REQUEST = /Only with `include=/;

function columnsOf(schema: Schema, name = ''): string[] {
  const { $ref, properties, anyOf } = schema;
  if ($ref !== undefined) return columnsOf(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, name);
  if (properties !== undefined)
    return Object.entries(properties)
      .filter(([, part]) => !ON_REQUEST.test(descriptionOf(part)))
      .flatMap(([key, part]) => columnsOf(part, name === '' ? key : `${name}.${key}`));
  const known = anyOf?.find(({ type }) => type !== 'null');
  if (known !== undefined) return columnsOf(known, name);
  return [`  "${name}" ${typeOf(schema)}`];
}

const descriptionOf = ({ description, anyOf = [] }: Schema): string =>
  [description, ...anyOf.map((each) => each.description)].join(' ');

function typeOf({ type, format, items }: Schema): string {
  if (type === 'array') return items?.type === 'string' ? 'text' : 'jsonb';
  if (type === 'string') return format === 'date-time' ? 'timestamptz' : format === 'date' ? 'date' : 'text';
  if (type === 'integer') return 'bigint';
  return type === 'number' ? 'numeric' : 'boolean';
}

const columns = columnsOf(components.schemas.Listing ?? {});
process.stdout.write(`-- Listings as a CSV export has them, for PostgreSQL 15 and newer; docs/python.md shows how to load them.
-- Names are those of the header. Lists of texts are separated by |, others are JSON.
create table listings (
${columns.join(',\n')}
);
`);
