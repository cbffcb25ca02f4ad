// Compound files: workbooks of Excel 97 to 2003, and workbooks under a password, which their directory shows.

import { open } from 'node:fs/promises';
import { FileFault } from './record.ts';
import { SAVE_AS } from './workbook.ts';

export const COMPOUND_MARK = Buffer.from('d0cf11e0a1b11ae1', 'hex');

const HEADER_BYTES = 512;
/** Bytes of the directory that are looked at: some dozens of names. */
const DIRECTORY_BYTES = 16 * 1024;

/** Always throws FileFault, with what the file is and what to do. */
export async function refuseCompound(path: string): Promise<never> {
  const names = await directoryOf(path);
  if (names.includes('EncryptedPackage'))
    throw new FileFault(
      `${path} is a workbook under a password: open it in Excel, remove the password (File, Info, Protect Workbook), and save it again.`,
    );
  const isOld = names.includes('Workbook') || names.includes('Book');
  const form = isOld ? 'an Excel workbook of the old form (.xls)' : 'an old document of Office';
  throw new FileFault(`${path} is ${form}, which is not read: ${SAVE_AS}.`);
}

/** The text of the directory's beginning. */
async function directoryOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    await file.read(header, 0, HEADER_BYTES, 0);
    const sectorBytes = 2 ** Math.min(header.readUInt16LE(30), 20);
    const directory = Buffer.alloc(DIRECTORY_BYTES);
    await file.read(directory, 0, DIRECTORY_BYTES, (header.readUInt32LE(48) + 1) * sectorBytes);
    return directory.toString('utf16le');
  } finally {
    await file.close();
  }
}
