// Secrets of sources: read from the variables and files that a source names, never stored.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SecretPlace } from './source-schema.ts';

/** Values of environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A secret is not where it should be. The message says where, and never what. */
export class SecretMissing extends Error {
  override readonly name = 'SecretMissing';
}

/** `the variable CRM_TOKEN` */
export const describePlace = (place: SecretPlace): string =>
  typeof place === 'string' ? `the variable ${place}` : `the file ${place.file}`;

/** The secret at a place, without white space around it. Throws SecretMissing. */
export async function readSecret(
  place: SecretPlace,
  what: string,
  folder: string,
  variables: Variables,
): Promise<string> {
  const text =
    typeof place === 'string'
      ? variables[place]
      : await readFile(resolve(folder, place.file), 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw new SecretMissing(`the file of its ${what} cannot be read: ${error.message}`);
        });
  const secret = text?.trim() ?? '';
  if (secret === '')
    throw new SecretMissing(`its ${what} is missing: ${describePlace(place)} is not set, or empty`);
  return secret;
}

/** The place as it is found from any folder. */
export const absolutePlace = (place: SecretPlace, folder: string): SecretPlace =>
  typeof place === 'string' ? place : { file: resolve(folder, place.file) };
