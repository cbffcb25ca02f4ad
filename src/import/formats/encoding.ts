// Texts of files in an encoding, in which lines of another one are marked and not misread.

import { isAscii, isUtf8 } from 'node:buffer';

/** Stands before each part that is not of the file's encoding; no text has this character, which Unicode keeps for programs. */
const MARK = '\uFDD0';

const WINDOWS = new TextDecoder('windows-1252');

/**
 * Decodes UTF-8 or Windows-1252. What is no UTF-8 comes as Windows-1252 with a mark; a line of a Windows-1252 file that can
 * only be UTF-8 comes as that with a mark.
 */
export async function* decodeMarked(
  chunks: AsyncIterable<Buffer>,
  encoding: 'utf-8' | 'windows-1252',
): AsyncGenerator<string> {
  const [wholeLength, decode] =
    encoding === 'utf-8' ? [wholeSequences, decodeUtf8] : [wholeLines, decodeWindows];
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = wholeLength(bytes);
    rest = bytes.subarray(end);
    if (end > 0) yield decode(bytes.subarray(0, end));
  }
  if (rest.length > 0) yield decode(rest);
}

export interface DecodedLine {
  readonly text: string;
  /** Why the line is not of the file's encoding; null where it is. */
  readonly fault: string | null;
}

/** A line without its marks. */
export function decodedLine(text: string, encoding: string): DecodedLine {
  if (!text.includes(MARK)) return { text, fault: null };
  return { text: withoutMarks(text), fault: encodingFault(encoding) };
}

export const hasMarks = (text: string): boolean => text.includes(MARK);

export const withoutMarks = (text: string): string => text.replaceAll(MARK, '');

export const encodingFault = (encoding: string): string =>
  `it is not written in ${encoding}, as the file is (if all of it is not, say "file": {"encoding": "${otherEncoding(encoding)}"} in the map)`;

export const otherEncoding = (encoding: string): string => (encoding === 'utf-8' ? 'windows-1252' : 'utf-8');

/** Bytes up to a sequence that goes on in the next chunk. */
function wholeSequences(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const at = bytes.length - back;
    const length = sequenceLength(bytes[at] ?? 0);
    if (length > 0) return length > back ? at : bytes.length;
  }
  return bytes.length;
}

/** Bytes of the UTF-8 sequence that begins with this one; 0 where none does. */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  let start = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at] ?? 0);
    if (length === 1 || (length > 1 && isUtf8(bytes.subarray(at, at + length)))) at += length;
    else {
      text += `${bytes.toString('utf8', start, at)}${MARK}${WINDOWS.decode(bytes.subarray(at, at + 1))}`;
      at += 1;
      start = at;
    }
  }
  return text + bytes.toString('utf8', start);
}

const isBreak = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

/** Bytes up to the end of the last whole line. */
function wholeLines(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1;
}

function decodeWindows(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  let text = '';
  let start = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && !isBreak(bytes[at])) continue;
    const line = bytes.subarray(start, at + 1);
    const isOther = !isAscii(line) && isUtf8(line);
    text += isOther ? MARK + line.toString('utf8') : WINDOWS.decode(line);
    start = at + 1;
  }
  return text;
}
