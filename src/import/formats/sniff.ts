// Beginning of a file: its encoding, and what parts its columns, where the content shows it.

import { isUtf8 } from 'node:buffer';
import { parseRows } from './csv-rows.ts';
import { type FileRules, markedEncoding, SIGNATURE_BYTES } from './open-file.ts';
import { openSource, type TextSource } from './source.ts';

/** Bytes of the text that are looked at. */
const SNIFFED_BYTES = 256 * 1024;
/** Rows that are counted by each delimiter. */
const SNIFFED_ROWS = 200;
const DELIMITERS = [',', ';', '\t', '|', '^', '~', ':'];

/**
 * How a file is written, as far as that differs from what is assumed of every file. Throws FileFault for what cannot be opened.
 * @param parts the sheet or the file of an archive that is meant
 */
export async function sniffFile(
  path: string,
  parts: Pick<FileRules, 'sheet' | 'member'> = {},
): Promise<FileRules> {
  const source = await openSource(path, parts.member);
  if (source.kind === 'workbook') {
    source.archive.close();
    return parts;
  }
  const beginning = await textBeginning(source);
  const marked = markedEncoding(beginning.subarray(0, SIGNATURE_BYTES));
  const isUnicode = marked !== null || isUtf8(wholeLines(beginning));
  const text = new TextDecoder(marked ?? (isUnicode ? 'utf-8' : 'windows-1252')).decode(beginning);
  const delimiter = /^\s*[[{]/.test(text) ? ',' : await delimiterOf(text);
  return {
    ...parts,
    ...(!isUnicode && { encoding: 'windows-1252' }),
    ...(delimiter !== ',' && { delimiter }),
  };
}

async function textBeginning(source: TextSource): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source.bytes) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= SNIFFED_BYTES) break;
    }
  } catch {
    // Damage is reported by the reader of the whole file.
  } finally {
    source.close();
  }
  return Buffer.concat(chunks).subarray(0, SNIFFED_BYTES);
}

/** Without the last line, which may be cut within a character. */
function wholeLines(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(0x0a);
  return bytes.length < SNIFFED_BYTES || end === -1 ? bytes : bytes.subarray(0, end);
}

/** The delimiter by which the most rows are as wide as the heading; of equals, the one that makes more columns. */
async function delimiterOf(text: string): Promise<string> {
  let found = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const score = await scoreOf(text, delimiter);
    if (score > found.score) found = { delimiter, score };
  }
  return found.delimiter;
}

async function scoreOf(text: string, delimiter: string): Promise<number> {
  const end = text.lastIndexOf('\n');
  const whole = end > 0 && text.length > 1_000 ? text.slice(0, end + 1) : text;
  async function* texts(): AsyncGenerator<string> {
    yield whole;
  }
  const options = {
    delimiter,
    encoding: 'utf-8',
    isOldMac: whole.includes('\r') && !whole.includes('\n'),
    isRow: () => false,
  };
  const widths: number[] = [];
  for await (const { fields } of parseRows(texts(), options)) {
    widths.push(fields.length);
    if (widths.length > SNIFFED_ROWS) break;
  }
  const [heading = 1, ...rows] = widths;
  if (heading < 2) return 0;
  const same = rows.filter((width) => width === heading).length;
  const share = rows.length === 0 ? 0.5 : same / rows.length;
  return share + Math.min(heading, 100) / 1_000;
}
