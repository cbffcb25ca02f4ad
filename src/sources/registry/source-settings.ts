// Settings of sources as a file states them: schema, and every fault of a file reported at once.

import { type Static, Type } from 'typebox';
import { Errors } from 'typebox/value';
import { nearest } from '../../lib/nearest.ts';
import { parseTimeZone, withoutByteOrderMark } from '../../lib/parse.ts';

const strict = { additionalProperties: false };

/** An id that no source of a file can have: these are of the settings `SOURCE` and `RESO_*`. */
export const RESERVED: readonly string[] = ['reso', 'sample'];
export const ID_PATTERN = '^[a-z0-9][a-z0-9-]{0,62}$';
/** Names of environment variables. */
const VARIABLE = '^[A-Za-z_][A-Za-z0-9_]{0,127}$';
const MAX_SOURCES = 1_000;

const SecretSchema = Type.Union(
  [
    Type.String({ pattern: VARIABLE, description: 'The name of the environment variable that holds it.' }),
    Type.Object(
      { file: Type.String({ minLength: 1, maxLength: 1_000, description: 'The file that holds it.' }) },
      strict,
    ),
  ],
  { description: 'Where a secret is; never the secret itself.' },
);
export type SecretPlace = Static<typeof SecretSchema>;

/** One source that programs push to. */
const PushSourceSchema = Type.Object(
  {
    id: Type.String({
      pattern: ID_PATTERN,
      description: 'Stable: ids of listings are derived from it. Lower-case letters, digits and hyphens.',
    }),
    name: Type.String({ minLength: 1, maxLength: 200, description: 'As people read it.' }),
    kind: Type.Literal('push', { description: 'Programs push its listings over HTTP.' }),
    currency: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{3}$',
        description: 'ISO 4217: of records that state no currency.',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({ description: 'IANA name: of times that are written without an offset. Default: UTC.' }),
    ),
    displayDefault: Type.Optional(
      Type.Unsafe<'show' | 'withhold'>({
        type: 'string',
        enum: ['show', 'withhold'],
        description: 'Whether listings without a display rule are shown. Default: show.',
      }),
    ),
    map: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'A map file for records with other field names, relative to the file of sources.',
      }),
    ),
    secrets: Type.Optional(
      Type.Object(
        { token: Type.Optional(SecretSchema) },
        { ...strict, description: 'Where its secrets are.' },
      ),
    ),
  },
  strict,
);
export type PushSource = Static<typeof PushSourceSchema>;

/** JSON Schema of a file of sources, as it is published. */
export const SourcesFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    sources: Type.Array(PushSourceSchema, { maxItems: MAX_SOURCES }),
  },
  {
    ...strict,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Sources of a Freehold service',
    description: 'What SOURCES_FILE names, and `freehold sources apply` reads.',
  },
);

/** Everything that is wrong with a file of sources, one sentence each. */
export class SourcesFileError extends Error {
  override readonly name = 'SourcesFileError';

  constructor(file: string, faults: readonly string[]) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
    super(`The file of sources ${file} has ${count}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/** The sources of a file's text. Throws SourcesFileError with every fault in it. */
export function parseSourcesFile(file: string, text: string): readonly PushSource[] {
  let content: unknown;
  try {
    content = JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    throw new SourcesFileError(file, [`it is not JSON: ${(error as Error).message}`]);
  }
  const shape = shapeFaults(content);
  if (shape.length > 0) throw new SourcesFileError(file, shape);
  const { sources } = content as Static<typeof SourcesFileSchema>;
  const faults = sources.flatMap((source, at) => meaningFaults(source, at, sources));
  if (faults.length > 0) throw new SourcesFileError(file, faults);
  return sources;
}

function shapeFaults(content: unknown): string[] {
  const faults = Errors(SourcesFileSchema, content).flatMap(({ keyword, instancePath, params, message }) => {
    const at = placeOf(content, instancePath);
    if (keyword === 'boolean') return []; // Reported by additionalProperties already.
    if (keyword === 'additionalProperties') {
      const { additionalProperties } = params as { additionalProperties: readonly string[] };
      return additionalProperties.map((name) => unknownMember(at, name));
    }
    if (instancePath.endsWith('/kind') || isKindMissing(keyword, params))
      return [`${at}: kind must be push, the one kind of source that a file can have so far`];
    if (instancePath.endsWith('/id')) return [`${at}: must be of lower-case letters, digits and hyphens`];
    return [`${at === '' ? 'the file' : at}: ${message}`];
  });
  return [...new Set(faults)];
}

const isKindMissing = (keyword: string, params: object): boolean =>
  keyword === 'required' &&
  ((params as { requiredProperties?: readonly string[] }).requiredProperties ?? []).includes('kind');

const MEMBERS: readonly string[] = Object.keys(PushSourceSchema.properties);

function unknownMember(at: string, name: string): string {
  const known = at === '' ? Object.keys(SourcesFileSchema.properties) : MEMBERS;
  const meant = nearest(name, known);
  return `${at === '' ? name : `${at}: ${name}`} is not known${meant ? `; did you mean ${meant}?` : ''}`;
}

/** `/sources/0/map` as people read it: the id of the source, and the member. */
function placeOf(content: unknown, pointer: string): string {
  const [top = '', position, ...rest] = pointer.slice(1).split('/');
  if (top !== 'sources' || position === undefined) return top;
  const listed = (content as { sources?: unknown }).sources;
  const source = Array.isArray(listed) ? (listed[Number(position)] as { id?: unknown } | null) : null;
  const which = typeof source?.id === 'string' ? source.id.slice(0, 63) : `source ${Number(position) + 1}`;
  return [which, ...rest].join('.');
}

function meaningFaults(source: PushSource, at: number, all: readonly PushSource[]): string[] {
  const { id, timeZone } = source;
  const faults: string[] = [];
  if (RESERVED.includes(id))
    faults.push(`${id}: this id is of the settings SOURCE and RESO_*; choose another`);
  if (all.findIndex((other) => other.id === id) < at) faults.push(`${id}: is in the file twice`);
  if (timeZone !== undefined && parseTimeZone(timeZone) === null)
    faults.push(`${id}: timeZone ${timeZone} is not known; give a name such as America/Los_Angeles`);
  return faults;
}

/** The JSON Schema of a file of sources, as it is published in docs/. */
export const schemaText = (): string => `${JSON.stringify(SourcesFileSchema, null, 2)}\n`;
