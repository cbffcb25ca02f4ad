// Body of a request: a file or standard input, options for its members, or both.

import { open } from 'node:fs/promises';
import { CommandFailure, EXIT } from '../failure.ts';
import type { Operation } from './document.ts';
import { parseJson } from './fields.ts';

export interface RequestBody {
  readonly type: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

/** Bytes: the largest that the API takes, and a little. */
const MAX_BYTES = 70_000_000;

/** Photos by their first bytes. */
const IMAGES: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/avif', /^.{4}ftypavi[fs]/s],
];

/**
 * What to send: null where the operation takes no body, or needs none and is given none.
 * @param file a path, or `-` for standard input
 * @param members of options; they replace those of the file
 */
export async function bodyOf(
  { body }: Operation,
  file: string | undefined,
  members: Readonly<Record<string, unknown>>,
): Promise<RequestBody | null> {
  if (body === null) return null;
  const hasMembers = Object.keys(members).length > 0;
  if (file === undefined) {
    if (hasMembers) return written(body.types, members);
    if (!body.isRequired) return null;
    throw new CommandFailure(
      'This sends a body: give it by --data FILE, or --data - from standard input.',
      EXIT.usage,
    );
  }
  const bytes = await read(file);
  const [type = ''] = body.types;
  if (type.startsWith('image/')) return { type: imageType(bytes, file), content: bytes };
  const text = new TextDecoder().decode(bytes);
  if (!hasMembers && body.types.some((each) => each.endsWith('ndjson')) && isLines(text))
    return { type: 'application/x-ndjson', content: text };
  if (type.endsWith('x-www-form-urlencoded') && !text.trimStart().startsWith('{'))
    return { type, content: text.trim() };
  const value = parseJson(text, file === '-' ? 'Standard input' : file);
  if (!hasMembers) return written(body.types, value);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandFailure('Options for members need a body that is an object.', EXIT.usage);
  return written(body.types, { ...value, ...members });
}

function written([type = '']: readonly string[], value: unknown): RequestBody {
  if (!type.endsWith('x-www-form-urlencoded')) return { type, content: JSON.stringify(value) };
  const pairs = Object.entries(value as Record<string, unknown>).map(([name, member]) => [
    name,
    String(member),
  ]);
  return { type, content: new URLSearchParams(pairs as [string, string][]).toString() };
}

/** More than one line, each a value of its own. */
const isLines = (text: string): boolean => !text.trimStart().startsWith('[');

function imageType(bytes: Uint8Array, file: string): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const found = IMAGES.find(([, pattern]) => pattern.test(start));
  if (found !== undefined) return found[0];
  throw new CommandFailure(`${file} is no photo: JPEG, PNG, WebP and AVIF are taken.`, EXIT.usage);
}

async function read(file: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    const source = file === '-' ? process.stdin : (await open(file)).createReadStream();
    for await (const chunk of source) {
      length += (chunk as Buffer).length;
      if (length > MAX_BYTES)
        throw new CommandFailure(`${file} is larger than any body that the API takes.`, EXIT.usage);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}.`, EXIT.usage);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
