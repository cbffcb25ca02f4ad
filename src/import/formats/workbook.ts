// Excel workbooks: their sheets, the texts and number formats that cells refer to, and which sheet is read.

import { posix } from 'node:path';
import { nearest } from '../../lib/nearest.ts';
import { type NumberForm, numberForm } from './number-formats.ts';
import { FileFault } from './record.ts';
import { readXml } from './xml.ts';
import type { ZipArchive } from './zip.ts';

export interface Sheet {
  readonly name: string;
  /** The part of the archive that has its cells. */
  readonly part: string;
  readonly isHidden: boolean;
}

export interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly is1904: boolean;
}

/** What cells refer to. */
export interface CellTables {
  readonly texts: readonly string[];
  /** By the number of a style. */
  readonly forms: readonly NumberForm[];
  readonly is1904: boolean;
}

/** Bytes of a file. */
export const MAX_WORKBOOK = 64 * 1024 ** 2;
/** Characters of a cell, as Excel has them. */
export const MAX_CELL_LENGTH = 32_767;
/** Characters of all shared texts, which are in memory. */
const MAX_SHARED_LENGTH = 256_000_000;
const MAX_SHARED = 8_000_000;
const MAX_SHEETS = 1_000;
/** Styles that Excel permits, and then some. */
const MAX_STYLES = 100_000;

export const isWorkbook = (archive: ZipArchive): boolean => archive.has('xl/workbook.xml');

/** What to do with workbooks that are not read. */
export const SAVE_AS = 'save it as an Excel workbook (.xlsx), or the sheet that you mean as "CSV UTF-8"';

/** Throws FileFault for an archive that is a workbook of another form. */
export function refuseOtherWorkbook(path: string, archive: ZipArchive): void {
  const form = archive.has('xl/workbook.bin')
    ? 'a binary Excel workbook (.xlsb)'
    : archive.has('mimetype') && archive.has('content.xml')
      ? 'an OpenDocument workbook (.ods)'
      : null;
  if (form !== null) throw new FileFault(`${path} is ${form}, which is not read: ${SAVE_AS}.`);
}

/** The sheets of a workbook in their order. Throws FileFault. */
export async function readWorkbook(path: string, archive: ZipArchive): Promise<Workbook> {
  const targets = await readTargets(path, archive);
  const sheets: Sheet[] = [];
  let is1904 = false;
  await readPart(path, archive, 'xl/workbook.xml', (name, attributes) => {
    if (name === 'workbookPr') is1904 = /^(?:1|true|on)$/.test(attributes.date1904 ?? '');
    if (name !== 'sheet') return;
    const id = Object.entries(attributes).find(([each]) => /(?:^|:)id$/.test(each))?.[1] ?? '';
    const part = targets.get(id);
    if (part === undefined || !archive.has(part)) return; // A sheet of charts or macros.
    if (sheets.length === MAX_SHEETS) throw new FileFault(`${path} has more than ${MAX_SHEETS} sheets.`);
    const { state = 'visible' } = attributes;
    sheets.push({ name: attributes.name ?? part, part, isHidden: state !== 'visible' });
  });
  if (sheets.length === 0) throw new FileFault(`${path} has no sheet with cells.`);
  return { sheets, is1904 };
}

/** Parts of worksheets by their ids. */
async function readTargets(path: string, archive: ZipArchive): Promise<ReadonlyMap<string, string>> {
  const targets = new Map<string, string>();
  await readPart(path, archive, 'xl/_rels/workbook.xml.rels', (name, { Id, Type = '', Target = '' }) => {
    if (name !== 'Relationship' || Id === undefined || !Type.endsWith('/worksheet')) return;
    targets.set(Id, Target.startsWith('/') ? Target.slice(1) : posix.join('xl', Target));
  });
  return targets;
}

/** Texts and formats of cells. Throws FileFault. */
export async function readCellTables(
  path: string,
  archive: ZipArchive,
  { is1904 }: Workbook,
): Promise<CellTables> {
  return { texts: await readSharedTexts(path, archive), forms: await readForms(path, archive), is1904 };
}

async function readSharedTexts(path: string, archive: ZipArchive): Promise<string[]> {
  const texts: string[] = [];
  if (!archive.has('xl/sharedStrings.xml')) return texts;
  const cell = new CellText(path);
  let length = 0;
  const { bytes, close } = await archive.open('xl/sharedStrings.xml');
  try {
    await readXml(`${path}: xl/sharedStrings.xml`, bytes, {
      open: (name) => cell.open(name),
      text: (text) => cell.add(text),
      close(name) {
        cell.close(name);
        if (name !== 'si') return;
        const text = cell.take();
        length += text.length;
        if (length > MAX_SHARED_LENGTH || texts.length === MAX_SHARED)
          throw new FileFault(
            `${path} holds more text than fits in memory (${MAX_SHARED_LENGTH / 1e6} million characters): save the sheet that you mean as "CSV UTF-8".`,
          );
        texts.push(text);
      },
    });
  } finally {
    close();
  }
  return texts;
}

/** The text of a cell, of plain or rich text; how to pronounce it is left out. Throws FileFault for one that Excel cannot have. */
export class CellText {
  readonly #path: string;
  #text = '';
  #isText = false;
  #isPhonetic = false;

  constructor(path: string) {
    this.#path = path;
  }

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true;
    this.#isText = name === 't' && !this.#isPhonetic;
  }

  add(text: string): void {
    if (!this.#isText) return;
    this.#text += text;
    // One character may be written as seven.
    if (this.#text.length > 7 * MAX_CELL_LENGTH) throw this.#tooLong();
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false;
    if (name === 't') this.#isText = false;
  }

  take(): string {
    const text = unescaped(this.#text);
    this.#text = '';
    if (text.length > MAX_CELL_LENGTH) throw this.#tooLong();
    return text;
  }

  #tooLong(): FileFault {
    return new FileFault(
      `${this.#path} has a cell of more than ${MAX_CELL_LENGTH} characters, which no workbook can have.`,
    );
  }
}

/** Characters that XML cannot have are written as `_x000D_`. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits: string) =>
        String.fromCharCode(Number.parseInt(digits, 16)),
      )
    : text;

async function readForms(path: string, archive: ZipArchive): Promise<NumberForm[]> {
  const forms: NumberForm[] = [];
  if (!archive.has('xl/styles.xml')) return forms;
  const codes = new Map<number, string>();
  let isOfCells = false;
  await readPart(
    path,
    archive,
    'xl/styles.xml',
    (name, { numFmtId = '0', formatCode }) => {
      const id = Number(numFmtId);
      if (name === 'cellXfs') isOfCells = true;
      if (name === 'numFmt' && formatCode !== undefined) codes.set(id, formatCode.slice(0, 1_000));
      if (name === 'xf' && isOfCells) forms.push(numberForm(id, codes.get(id)));
      if (forms.length + codes.size > MAX_STYLES) throw new FileFault(`${path} has too many styles.`);
    },
    (name) => {
      if (name === 'cellXfs') isOfCells = false;
    },
  );
  return forms;
}

async function readPart(
  path: string,
  archive: ZipArchive,
  part: string,
  open: (name: string, attributes: Readonly<Record<string, string>>) => void,
  closed: (name: string) => void = () => {},
): Promise<void> {
  const { bytes, close } = await archive.open(part);
  try {
    await readXml(`${path}: ${part}`, bytes, { open, text: () => {}, close: closed });
  } finally {
    close();
  }
}

/**
 * The sheet that is named, else the visible one with the most rows. Throws FileFault where there is none of that name.
 * @param wanted its name
 */
export async function chooseSheet(
  path: string,
  archive: ZipArchive,
  { sheets }: Workbook,
  wanted: string | undefined,
): Promise<Sheet> {
  const names = sheets.map(({ name }) => name);
  if (wanted !== undefined) {
    const found = sheets.find(({ name }) => name === wanted);
    if (found !== undefined) return found;
    const meant = nearest(wanted, names);
    const remedy =
      meant === null || meant === undefined ? `it has ${names.join(', ')}` : `did you mean ${meant}?`;
    throw new FileFault(`${path} has no sheet ${wanted}; ${remedy}`);
  }
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const [first = sheets[0], ...others] = visible;
  if (first === undefined) throw new FileFault(`${path} has no sheet.`);
  if (others.length === 0) return first;
  let best = { sheet: first, rows: await countRows(archive, first) };
  for (const sheet of others) {
    const rows = await countRows(archive, sheet);
    if (rows > best.rows) best = { sheet, rows };
  }
  return best.sheet;
}

/** Rows of a sheet that have a value, found by their marks alone, since each sheet would otherwise be parsed only to be left out. */
async function countRows(archive: ZipArchive, { part }: Sheet): Promise<number> {
  const { bytes, close } = await archive.open(part);
  let [rows, isCounted, rest] = [0, true, ''];
  try {
    for await (const chunk of bytes) {
      const text = rest + chunk.toString('latin1');
      for (const [, mark] of text.matchAll(/<(?:\w{1,20}:)?(row|v|is)[\s>]/g)) {
        if (mark === 'row') isCounted = false;
        else if (!isCounted) {
          rows++;
          isCounted = true;
        }
      }
      // A mark may go on in the next chunk; one that ends here must not be counted again.
      const cut = text.lastIndexOf('<');
      rest =
        cut === -1 || text.length - cut > 64 || /^<[^<]*[\s>]/.test(text.slice(cut)) ? '' : text.slice(cut);
    }
  } finally {
    close();
  }
  return rows;
}
