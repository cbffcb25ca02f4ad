// Pictures without what their files say beside the picture: metadata are cut out, the picture itself stays as it is, to the bit.

import { crc32 } from 'node:zlib';
import { cleanAvif } from './clean-avif.ts';
import { buildExif, type ExifMembers, NO_EXIF, readExif } from './exif.ts';
import type { ImageFormat } from './image-head.ts';

/** The file with nothing but its picture, its colours, how it is turned, and its copyright; null where it is not built like its format. */
export function cleanPicture(file: Buffer, format: ImageFormat): Buffer | null {
  try {
    return CLEANERS[format](file);
  } catch (error) {
    // A length that leads out of the file.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const CLEANERS: Readonly<Record<ImageFormat, (file: Buffer) => Buffer | null>> = {
  jpeg: cleanJpeg,
  png: cleanPng,
  webp: cleanWebp,
  avif: cleanAvif,
};

const EXIF = Buffer.from('Exif\0\0', 'latin1');
const ICC = Buffer.from('ICC_PROFILE\0', 'latin1');
const [SOI, EOI, SOS, APP0, APP1, APP2, APP14, APP15, COM] = [
  0xd8, 0xd9, 0xda, 0xe0, 0xe1, 0xe2, 0xee, 0xef, 0xfe,
];

/** Markers without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= SOI);

/** Of the segments of applications the header, colour profiles, and what says how colours are coded. */
function isKeptSegment(marker: number, content: Buffer): boolean {
  if (marker === APP0) return content.toString('latin1', 0, 5) === 'JFIF\0';
  if (marker === APP2) return content.subarray(0, ICC.length).equals(ICC);
  if (marker === APP14) return content.toString('latin1', 0, 5) === 'Adobe';
  return marker !== COM && !(marker > APP0 && marker <= APP15);
}

function cleanJpeg(file: Buffer): Buffer | null {
  const kept: Buffer[] = [];
  let exif: ExifMembers | null = null;
  let at = 2;
  while (at < file.length) {
    if (file[at] !== 0xff) return null;
    const marker = file[at + 1] ?? EOI;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // Whatever follows the end is not the picture: thumbnails and second pictures have metadata of their own.
    if (marker === EOI) {
      kept.push(file.subarray(at, at + 2));
      break;
    }
    if (isBare(marker)) {
      kept.push(file.subarray(at, at + 2));
      at += 2;
      continue;
    }
    const end = at + 2 + file.readUInt16BE(at + 2);
    const content = file.subarray(at + 4, end);
    if (marker === APP1 && exif === null && content.subarray(0, EXIF.length).equals(EXIF))
      exif = readExif(content.subarray(EXIF.length));
    const next = marker === SOS ? endOfScan(file, end) : end;
    if (isKeptSegment(marker, content)) kept.push(file.subarray(at, next));
    at = next;
  }
  const block = buildExif(exif ?? NO_EXIF);
  return Buffer.concat([Buffer.from([0xff, SOI]), ...(block === null ? [] : [jpegExif(block)]), ...kept]);
}

function jpegExif(block: Buffer): Buffer {
  const head = Buffer.from([0xff, APP1, 0, 0]);
  head.writeUInt16BE(2 + EXIF.length + block.length, 2);
  return Buffer.concat([head, EXIF, block]);
}

/** Where the coded pixels of a scan end: at the next marker that is none of theirs, or with the file. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1];
    if (next !== undefined && next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return file.length;
}

/** Chunks that make the picture and its colours, those of animations among them. */
const PNG_CHUNKS: readonly string[] =
  'IHDR PLTE IDAT IEND tRNS acTL fcTL fdAT gAMA cHRM sRGB iCCP sBIT cICP mDCV cLLI bKGD pHYs'.split(' ');
const PNG_HEAD = 8;
const PNG_COPYRIGHT = 'Copyright\0';
const MAX_TEXT = 1_000;

function cleanPng(file: Buffer): Buffer | null {
  const kept: Buffer[] = [file.subarray(0, PNG_HEAD)];
  for (let at = PNG_HEAD; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    const content = file.subarray(at + 8, at + 8 + length);
    if (PNG_CHUNKS.includes(type)) kept.push(file.subarray(at, end));
    if (type === 'eXIf') {
      const block = buildExif(readExif(content));
      if (block !== null) kept.push(pngChunk(type, block));
    }
    const isCopyright =
      type === 'tEXt' && content.toString('latin1', 0, PNG_COPYRIGHT.length) === PNG_COPYRIGHT;
    if (isCopyright && length <= MAX_TEXT) kept.push(file.subarray(at, end));
    if (type === 'IEND') break;
    at = end;
  }
  return Buffer.concat(kept);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const WEBP_CHUNKS: readonly string[] = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'];
/** Bits of VP8X: whether there are EXIF and XMP. */
const [WEBP_EXIF, WEBP_XMP] = [0x08, 0x04];

function cleanWebp(file: Buffer): Buffer | null {
  const kept: Buffer[] = [];
  let exif: Buffer | null = null;
  for (let at = 12; at + 8 <= file.length; ) {
    const type = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const content = file.subarray(at + 8, at + 8 + length);
    if (WEBP_CHUNKS.includes(type)) kept.push(webpChunk(type, content));
    // Some programs write the name that it has in JPEG before it.
    const isNamed = content.subarray(0, EXIF.length).equals(EXIF);
    if (type === 'EXIF') exif = buildExif(readExif(isNamed ? content.subarray(EXIF.length) : content));
    at += 8 + length + (length % 2);
  }
  const head = kept.find((chunk) => chunk.toString('latin1', 0, 4) === 'VP8X');
  // Only files with an extended header say where metadata are.
  if (head !== undefined && head.length > 8) {
    head[8] = ((head[8] ?? 0) & ~(WEBP_EXIF | WEBP_XMP)) | (exif === null ? 0 : WEBP_EXIF);
    if (exif !== null) kept.push(webpChunk('EXIF', exif));
  }
  const body = Buffer.concat(kept);
  const riff = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  riff.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([riff, body]);
}

/** A copy: bits of it may be changed. */
function webpChunk(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from(type, 'latin1'), length, content, Buffer.alloc(content.length % 2)]);
}
