// Prints a Postman collection of every operation, which Bruno imports too, from openapi.json: `node tools/collection.ts > docs/examples/freehold.postman_collection.json`.
//
// Written here because Postman's own converter makes up values, others at each run, in place of the document's examples.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly example: unknown;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

interface Document {
  readonly info: { readonly title: string; readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const { info, tags, paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as Document;

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function requestOf({ path, method, operation }: (typeof operations)[number]) {
  const { summary, description, parameters = [], requestBody } = operation;
  const named = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
  const [type, { example }] = Object.entries(requestBody?.content ?? {})[0] ?? ['', { example: undefined }];
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      ...(description !== undefined && { description }),
      header: [
        ...(type === '' ? [] : [{ key: 'Content-Type', value: type }]),
        ...named('header').map(fieldOf),
      ],
      url: {
        raw: `{{baseUrl}}/${segments}`,
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        query: named('query').map(fieldOf),
        variable: named('path').map(({ name, example: value }) => ({ key: name, value: textOf(value) })),
      },
      ...(requestBody !== undefined && { body: bodyOf(type, example) }),
    },
  };
}

/** Parameters that are not required are there to tick. */
function fieldOf({ name, required, description = '', example }: Parameter) {
  return { key: name, value: textOf(example), description: firstSentence(description), disabled: !required };
}

function bodyOf(type: string, example: unknown) {
  if (type.startsWith('image/')) return { mode: 'file', file: {} };
  if (type === 'application/x-www-form-urlencoded') {
    const fields = Object.entries(example as Readonly<Record<string, unknown>>);
    return { mode: 'urlencoded', urlencoded: fields.map(([key, value]) => ({ key, value: textOf(value) })) };
  }
  const raw = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return { mode: 'raw', raw, options: { raw: { language: 'json' } } };
}

/** Lists are separated by commas. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(',') : String(value ?? '');

/** Descriptions are in the reference; beside a field one sentence is enough. */
const firstSentence = (text: string): string => /^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0] ?? text;

const collection = {
  info: { name: info.title, description: `${info.description}\n\nVersion ${info.version}.`, schema: FORMAT },
  // Requests inherit it: one key in one place.
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
  variable: [
    { key: 'baseUrl', value: 'http://127.0.0.1:8080' },
    { key: 'key', value: '' },
  ],
  item: tags.map(({ name }) => ({
    name,
    item: operations.filter(({ operation }) => operation.tags[0] === name).map(requestOf),
  })),
};
console.log(JSON.stringify(collection, null, 1));
