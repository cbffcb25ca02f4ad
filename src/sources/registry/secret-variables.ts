// Variables that hold secrets of a file of sources: read before any setting is judged, so without a schema.

import { existsSync, readFileSync } from 'node:fs';
import { parseJson, withoutByteOrderMark } from '../../lib/parse.ts';
import { type Environment, SettingsReader } from '../../lib/settings.ts';

/** Names under `secrets` of any source; none of a file that is no such file, whose faults are reported when it is applied. */
function secretVariables(text: string): string[] {
  const { sources } = asObject(parseJson(withoutByteOrderMark(text)));
  if (!Array.isArray(sources)) return [];
  return sources.flatMap((source: unknown) =>
    Object.values(asObject(asObject(source).secrets)).filter((place) => typeof place === 'string'),
  );
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The setting SOURCES_FILE. */
export interface SourcesFile {
  /** The file of sources that is applied at the start; null: none. */
  readonly file: string | null;
  /** Values of the variables that it names. */
  readonly variables: Readonly<Record<string, string>>;
}

export function readSourcesFile(values: Environment, folder: string): SourcesFile {
  const file = new SettingsReader(values, []).path('SOURCES_FILE', folder);
  // A file that cannot be read is reported when it is applied.
  if (file === null || !existsSync(file)) return { file, variables: {} };
  return { file, variables: pickVariables(values, readFileSync(file, 'utf8')) };
}

/** Values that a file of sources names. */
export function pickVariables(values: Environment, text: string): Record<string, string> {
  return Object.fromEntries(
    secretVariables(text).flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
