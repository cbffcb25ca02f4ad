// Failure of a backup, as a sentence that names the remedy.

import { isBrokenConnection } from '../postgres/client/connection-errors.ts';

/** An expected failure: nothing of the backup was left behind. */
export class BackupFailure extends Error {
  override readonly name = 'BackupFailure';
}

/** SQLSTATE. */
const LOCK_NOT_AVAILABLE = '55P03';

/** System errors -> what to do. */
const FILE_REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full. Free some space, or choose another disk',
  EDQUOT: 'the quota of this user is used up. Free some space, or choose another disk',
  EFBIG: 'its file system has no files of that size. Choose another one',
  EIO: 'its disk does not answer. Choose another disk',
  EROFS: 'it is on a read-only file system. Choose another folder',
  EACCES: 'this user may not write there. Change its permissions, or choose another folder',
  EPERM: 'this user may not write there. Change its permissions, or choose another folder',
  ENOENT: 'its folder does not exist. Create it',
  ENOTDIR: 'its folder is a file. Choose another one',
  EEXIST: 'its folder is a file. Choose another one',
  EPIPE: 'the program that reads it has ended. Look at its own output',
  ENAMETOOLONG: 'its name is too long. Choose another one',
};

/** The sentence for an error while the backup was written to `place`; any other error unchanged. */
export function backupFailure(error: unknown, place: string): unknown {
  if (isBrokenConnection(error))
    return new BackupFailure(
      'The connection to the database was lost, and nothing of the backup was left. Run it again when the database answers.',
      { cause: error },
    );
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (code === LOCK_NOT_AVAILABLE)
    return new BackupFailure(
      'Another program changes or locks a table of the database. Run the backup again when it is done.',
      {
        cause: error,
      },
    );
  return syscall === 'connect' ? error : outputFailure(error, place);
}

/** The sentence for an error of the output itself; any other error unchanged. */
export function outputFailure(error: unknown, place: string): unknown {
  const remedy = FILE_REMEDIES[(error as NodeJS.ErrnoException).code ?? ''];
  if (remedy === undefined) return error;
  return new BackupFailure(`The backup cannot be written to ${place}: ${remedy}. Nothing of it was left.`, {
    cause: error,
  });
}
