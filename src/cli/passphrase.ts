// Passphrase that a command reads: from a file, or typed at the terminal, which does not show it.

import { readPassphraseFile } from '../backup/passphrase.ts';
import { CommandFailure, EXIT } from './failure.ts';

/** Characters of a new passphrase; what was sealed with a shorter one is opened all the same. */
const MIN_LENGTH = 12;

/** The option of commands that read a passphrase. */
export const PASSPHRASE_OPTION = [
  '--passphrase-file <file>',
  'file whose first line is the passphrase (default: asked for)',
] as const;

/** The passphrase of an archive that is there. Throws CommandFailure where nobody can be asked. */
export async function readPassphrase(file: string | undefined): Promise<string> {
  return file === undefined ? prompt('Passphrase of the backup: ') : readPassphraseFile(file);
}

/** A passphrase to encrypt with, typed twice. Throws CommandFailure for a short one. */
export async function readNewPassphrase(file: string | undefined): Promise<string> {
  const passphrase = file === undefined ? await prompt('New passphrase: ') : await readPassphraseFile(file);
  if ([...passphrase].length < MIN_LENGTH)
    throw new CommandFailure(
      `The passphrase has fewer than ${MIN_LENGTH} characters: give one of several words, and keep it apart from the backup.`,
      EXIT.usage,
    );
  if (file === undefined && (await prompt('The same again: ')) !== passphrase)
    throw new CommandFailure('The two passphrases differ.', EXIT.usage);
  return passphrase;
}

const [ENTER, LINE_FEED, END, INTERRUPT, BACKSPACE, DELETE] = [
  '\r',
  '\n',
  '\u0004',
  '\u0003',
  '\b',
  '\u007f',
];

/** A line that is typed without being shown. The question goes to standard error. */
function prompt(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY)
    throw new CommandFailure(
      'There is no terminal to type the passphrase at: give --passphrase-file.',
      EXIT.usage,
    );
  stderr.write(question);
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    let isEnded = false;
    const end = (settle: () => void): void => {
      isEnded = true;
      stdin.off('data', read).setRawMode(false).pause();
      stderr.write('\n');
      settle();
    };
    const take = (character: string): void => {
      if ([ENTER, LINE_FEED, END].includes(character)) end(() => resolve(typed.join('')));
      else if (character === INTERRUPT)
        end(() => reject(new CommandFailure('Interrupted.', EXIT.interrupted)));
      else if (character === BACKSPACE || character === DELETE) typed = typed.slice(0, -1);
      else typed.push(character);
    };
    const read = (text: string): void => {
      for (const character of text) if (!isEnded) take(character);
    };
    stdin.setEncoding('utf8').setRawMode(true).resume().on('data', read);
  });
}
