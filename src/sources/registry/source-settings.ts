// Settings of sources as a file states them: every fault of a file is reported at once.

import type { Static } from 'typebox';
import { nearest } from '../../lib/nearest.ts';
import { parseTimeZone, withoutByteOrderMark } from '../../lib/parse.ts';
import { schemaErrors } from '../../lib/schema-errors.ts';
import { urlFault } from '../../lib/settings.ts';
import { ProfileError, readProfile, STANDARD } from '../reso/profiles/profile.ts';
import {
  type FileSource,
  FrameSchema,
  isPush,
  type Overrides,
  overridden,
  ownMembers,
  PushSourceSchema,
  RESERVED,
  type ResoSource,
  ResoSourceSchema,
} from './source-schema.ts';

/** Everything that is wrong with a file of sources, one sentence each. */
export class SourcesFileError extends Error {
  override readonly name = 'SourcesFileError';

  constructor(file: string, faults: readonly string[]) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
    super(`The file of sources ${file} has ${count}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/** The sources of a file's text. Throws SourcesFileError with every fault in it. */
export function parseSourcesFile(file: string, text: string): readonly FileSource[] {
  let content: unknown;
  try {
    content = JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    throw new SourcesFileError(file, [`it is not JSON: ${(error as Error).message}`]);
  }
  const frame = schemaFaults(FrameSchema, content, '');
  if (frame.length > 0) throw new SourcesFileError(file, frame);
  const listed = (content as Static<typeof FrameSchema>).sources.map(withOverrides);
  const shape = listed.flatMap(({ own, overrides }, at) => sourceFaults(own, overrides, at));
  if (shape.length > 0) throw new SourcesFileError(file, shape);
  const sources = listed.map(({ own, overrides }) => {
    const source = own as Static<typeof PushSourceSchema> | Static<typeof ResoSourceSchema>;
    return source.kind === 'push' ? source : { ...source, overrides };
  });
  const faults = sources.flatMap((source, at) => meaningFaults(source, at, sources));
  if (faults.length > 0) throw new SourcesFileError(file, faults);
  return sources;
}

/** The members of a source, and those of its profile that are set beside them. */
function withOverrides(source: unknown): { readonly own: unknown; readonly overrides: Overrides } {
  if (typeof source !== 'object' || source === null || (source as { kind?: unknown }).kind === 'push')
    return { own: source, overrides: {} };
  const isOverride = ([name]: readonly [string, unknown]) =>
    Object.hasOwn(overridden, name) && !Object.hasOwn(ownMembers, name);
  const members = Object.entries(source).map(([name, value]) =>
    name === 'media' && typeof value === 'string'
      ? ([name, { mode: value }] as const)
      : ([name, value] as const),
  );
  return {
    own: Object.fromEntries(members.filter((member) => !isOverride(member))),
    overrides: Object.fromEntries(members.filter(isOverride)),
  };
}

function sourceFaults(source: unknown, overrides: Overrides, at: number): string[] {
  const { id, kind = 'reso' } = (typeof source === 'object' && source !== null ? source : {}) as {
    readonly id?: unknown;
    readonly kind?: unknown;
  };
  const which = typeof id === 'string' ? id.slice(0, 63) : `source ${at + 1}`;
  if (kind !== 'push' && kind !== 'reso')
    return [`${which}: kind must be push, for one that programs push to, or reso, for one that is read`];
  const faults = schemaFaults(kind === 'push' ? PushSourceSchema : ResoSourceSchema, source, which);
  if (kind === 'push' || faults.length > 0) return faults;
  const { profile = STANDARD } = source as Static<typeof ResoSourceSchema>;
  try {
    readProfile(profile, overrides);
    return [];
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    return error.faults.map((fault) => `${which}: ${fault}`);
  }
}

/** What an object lacks of its schema. `of`: the id of the source; empty: the file itself. */
function schemaFaults(
  schema: typeof FrameSchema | typeof PushSourceSchema | typeof ResoSourceSchema,
  value: unknown,
  of: string,
): string[] {
  const faults = schemaErrors(schema, value).flatMap(({ keyword, instancePath, params, message }) => {
    const at = [of, ...instancePath.split('/').slice(1)].filter((part) => part !== '').join('.');
    if (keyword === 'boolean') return []; // Reported by additionalProperties already.
    if (keyword === 'additionalProperties') {
      const { additionalProperties } = params as { additionalProperties: readonly string[] };
      const known = Object.keys(schema.properties);
      const all = schema === ResoSourceSchema ? [...known, ...Object.keys(overridden)] : known;
      return additionalProperties.map((name) => unknownMember(at, name, all));
    }
    if (keyword === 'enum')
      return [
        `${at}: must be one of ${(params as { allowedValues?: readonly string[] }).allowedValues?.join(', ')}`,
      ];
    if (instancePath === '/id') return [`${at}: must be of lower-case letters, digits and hyphens`];
    if (schema === ResoSourceSchema && isMissing('url', keyword, params))
      return [`${at}: url is missing; a source that programs push to has "kind": "push" instead`];
    return [`${at === '' ? 'the file' : at}: ${message}`];
  });
  return [...new Set(faults)];
}

const isMissing = (member: string, keyword: string, params: object): boolean =>
  keyword === 'required' &&
  ((params as { requiredProperties?: readonly string[] }).requiredProperties ?? []).includes(member);

function unknownMember(at: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `${at === '' ? name : `${at}: ${name}`} is not known${meant ? `; did you mean ${meant}?` : ''}`;
}

function meaningFaults(source: FileSource, at: number, all: readonly FileSource[]): string[] {
  const { id, timeZone } = source;
  const faults: string[] = [];
  if (RESERVED.includes(id))
    faults.push(`${id}: this id is of the settings SOURCE and RESO_*; choose another`);
  if (all.findIndex((other) => other.id === id) < at) faults.push(`${id}: is in the file twice`);
  if (timeZone !== undefined && parseTimeZone(timeZone) === null)
    faults.push(`${id}: timeZone ${timeZone} is not known; give a name such as America/Los_Angeles`);
  return isPush(source) ? faults : [...faults, ...resoFaults(source)];
}

function resoFaults({ id, url, profile: name = STANDARD, overrides, secrets }: ResoSource): string[] {
  const fault = urlFault(url, { bare: true });
  const { authentication } = readProfile(name, overrides);
  const { bearerToken, tokenUrl, clientId, clientSecret } = secrets;
  const isBearer = bearerToken !== undefined;
  const isClient =
    clientId !== undefined &&
    clientSecret !== undefined &&
    (tokenUrl !== undefined || authentication.tokenUrl !== null);
  const isEither = isBearer
    ? [tokenUrl, clientId, clientSecret].every((place) => place === undefined) &&
      authentication.kind !== 'client'
    : isClient && authentication.kind !== 'bearer';
  const client = `clientId and clientSecret${authentication.tokenUrl === null ? ', and tokenUrl' : ''}`;
  const wanted = { bearer: 'bearerToken', client, any: `either bearerToken, or ${client}` };
  return [
    ...(fault === null ? [] : [`${id}: url ${fault}`]),
    ...(isEither ? [] : [`${id}: secrets must name ${wanted[authentication.kind]}`]),
  ];
}
