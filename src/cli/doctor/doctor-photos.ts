// Check of `freehold doctor` of the folder of copied photos: whether it can be written, and how much it has room for.

import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../config.ts';
import { type Finding, fail, ok, warn } from './doctor-checks.ts';

const NAME = 'photos';
/** Bytes. */
const LOW_FREE = 5e9;

/** Nothing where no photo is copied, as far as this command knows. */
export async function checkPhotos({ media: { folder, mode } }: Pick<Config, 'media'>): Promise<Finding[]> {
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  if (!exists && mode !== 'copy') return [];
  const place = exists ? folder : await existingAbove(folder);
  const isOpen = await access(place, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isOpen)
    return [fail(NAME, `${place} is not writable for this user`, 'Make it writable, or set MEDIA_DIR.')];
  const { bavail, bsize } = await statfs(place);
  const room = bavail * bsize;
  const detail = `${folder}, ${(room / 1e9).toFixed(1)} GB free`;
  return [room < LOW_FREE ? warn(NAME, detail, 'Free some space, or set MEDIA_DIR.') : ok(NAME, detail)];
}

async function existingAbove(folder: string): Promise<string> {
  const above = dirname(folder);
  const exists = await access(above).then(
    () => true,
    () => false,
  );
  return exists || above === folder ? above : existingAbove(above);
}
