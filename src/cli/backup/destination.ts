// Destination of a backup: standard output, a file, or a folder of backups.

import { resolve } from 'node:path';
import { statIfExists } from '../../lib/files.ts';
import { CommandFailure, EXIT } from '../failure.ts';

export type Destination =
  | { readonly kind: 'output' }
  | { readonly kind: 'file'; readonly file: string }
  /** `keep` is null where all backups stay. */
  | { readonly kind: 'folder'; readonly folder: string; readonly keep: number | null };

/**
 * `-` is standard output. A folder that is there, or a name that ends in a slash, or any with `--keep`, is a folder of backups. Throws
 * CommandFailure for what means nothing.
 */
export async function readDestination(text: string, keep: number | undefined): Promise<Destination> {
  if (text === '-') {
    if (keep !== undefined) throw new CommandFailure('--keep goes with a folder, not with -.', EXIT.usage);
    if (process.stdout.isTTY)
      throw new CommandFailure(
        'A backup is no text for a terminal: redirect the output, or name a file.',
        EXIT.usage,
      );
    return { kind: 'output' };
  }
  const path = resolve(text);
  const found = await statIfExists(path);
  const isFolder = found === undefined ? text.endsWith('/') || keep !== undefined : found.isDirectory();
  if (isFolder) return { kind: 'folder', folder: path, keep: keep ?? null };
  if (keep !== undefined)
    throw new CommandFailure(`--keep goes with a folder, and ${text} is none.`, EXIT.usage);
  return { kind: 'file', file: path };
}
