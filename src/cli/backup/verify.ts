// Command `freehold backup verify`: reads a backup to its end and says whether it is whole.

import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { verifyArchive } from '../../backup/archive/verify-archive.ts';
import { systemClock } from '../../lib/clock.ts';
import { statIfExists } from '../../lib/files.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { examples } from '../options.ts';
import { print, printJson } from '../output.ts';
import { PASSPHRASE_OPTION, readPassphrase } from '../passphrase.ts';
import { progressLine } from '../progress-line.ts';
import { rowProgressText, verifiedJson, verifiedText } from './backup-output.ts';

interface VerifyFlags {
  readonly passphraseFile?: string;
  readonly json?: true;
}

/** Bytes that are read at once. */
const READ_BYTES = 1024 * 1024;

export function addVerify(group: Command): void {
  group
    .command('verify <file>')
    .summary('check a backup')
    .description(
      'Reads a backup to its end and finds any byte that is missing or was changed. Needs no database.\n' +
        'Exits with code 1 if anything is wrong.',
    )
    .option(...PASSPHRASE_OPTION)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples(
        'freehold backup verify homes.tar.zst',
        'freehold backup verify homes.sealed --passphrase-file /etc/freehold/passphrase',
      ),
    )
    .action(verify);
}

async function verify(file: string, { passphraseFile, json }: VerifyFlags): Promise<void> {
  const found = await statIfExists(file);
  if (found?.isFile() !== true)
    throw new CommandFailure(`${file} is no file: give the path of a backup.`, EXIT.usage);
  const { size } = found;
  const input = createReadStream(file, { highWaterMark: READ_BYTES });
  const line = progressLine(systemClock, rowProgressText);
  try {
    const verified = await verifyArchive(input, {
      passphrase: () => readPassphrase(passphraseFile),
      onProgress: (rows) => line.show({ rows, part: size === 0 ? 1 : input.bytesRead / size }),
    });
    line.end();
    if (json) printJson(verifiedJson(verified));
    else print(process.stdout, verifiedText(verified));
  } finally {
    line.end();
    input.destroy();
  }
}
