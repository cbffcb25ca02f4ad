// AVIF without metadata: what its items of EXIF and XMP are is overwritten where it stands, since the file names places by their bytes.

import { buildExif, readExif } from './exif.ts';

interface Box {
  readonly type: string;
  /** Of the box with its head, and of its content. */
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

/** A stretch of the file. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Boxes of a still picture; all others are emptied. */
const FILE_BOXES: readonly string[] = ['ftyp', 'meta', 'mdat'];
const META_BOXES: readonly string[] = [
  'hdlr',
  'pitm',
  'iinf',
  'iloc',
  'iref',
  'iprp',
  'idat',
  'grpl',
  'dinf',
];
/** Items that are no pictures. */
const METADATA_ITEMS: readonly string[] = ['Exif', 'mime', 'uri '];

/** Null for files that are not built like AVIF, or not understood, animations among them. Throws RangeError where a length leads out of the file. */
export function cleanAvif(original: Buffer): Buffer | null {
  const file = Buffer.from(original);
  const boxes = readBoxes(file, 0, file.length);
  const meta = boxes?.find(({ type }) => type === 'meta');
  if (boxes === null || meta === undefined || boxes.some(({ type }) => type === 'moov')) return null;
  // A version and flags come first.
  const parts = readBoxes(file, meta.content + 4, meta.end);
  const [infos, places] = ['iinf', 'iloc'].map((name) => parts?.find(({ type }) => type === name));
  if (parts === null || infos === undefined || places === undefined) return null;
  const items = readItems(file, infos);
  const data = parts.find(({ type }) => type === 'idat');
  const extents = items && readExtents(file, places, data ?? null, items);
  if (items === null || extents === null) return null;
  for (const [id, type] of items) {
    const own = extents.get(id) ?? [];
    const exif = type === 'Exif' && own[0] !== undefined ? exifOf(file, own[0]) : null;
    for (const { start, end } of own) file.fill(0, start, end);
    // Four bytes say where the block begins.
    if (exif !== null && own[0] !== undefined && own[0].end - own[0].start >= exif.length + 4)
      exif.copy(file, own[0].start + 4);
  }
  for (const box of boxes) if (!FILE_BOXES.includes(box.type)) empty(file, box);
  for (const box of parts) if (!META_BOXES.includes(box.type)) empty(file, box);
  return file;
}

function empty(file: Buffer, { start, content, end }: Box): void {
  file.write('free', start + 4, 'latin1');
  file.fill(0, content, end);
}

function exifOf(file: Buffer, { start, end }: Extent): Buffer | null {
  if (end - start < 4) return null;
  const from = start + 4 + file.readUInt32BE(start);
  return from >= end ? null : buildExif(readExif(file.subarray(from, end)));
}

/** The boxes of a stretch; null where they do not fill it. */
function readBoxes(file: Buffer, from: number, to: number): Box[] | null {
  const boxes: Box[] = [];
  for (let at = from; at < to; ) {
    if (at + 8 > to) return null;
    let [size, head] = [file.readUInt32BE(at), 8];
    if (size === 1) [size, head] = [Number(file.readBigUInt64BE(at + 8)), 16];
    if (size === 0) size = to - at;
    if (size < head || at + size > to) return null;
    boxes.push({
      type: file.toString('latin1', at + 4, at + 8),
      start: at,
      content: at + head,
      end: at + size,
    });
    at += size;
  }
  return boxes;
}

/** Items that are no pictures: their types by their ids. */
function readItems(file: Buffer, { content, end }: Box): ReadonlyMap<number, string> | null {
  const isLong = file[content] !== 0;
  const entries = readBoxes(file, content + (isLong ? 8 : 6), end);
  if (entries === null) return null;
  const items = new Map<number, string>();
  for (const { content: at } of entries) {
    const version = file[at];
    if (version !== 2 && version !== 3) return null;
    const id = version === 2 ? file.readUInt16BE(at + 4) : file.readUInt32BE(at + 4);
    const type = at + (version === 2 ? 8 : 10);
    const name = file.toString('latin1', type, type + 4);
    if (METADATA_ITEMS.includes(name)) items.set(id, name);
  }
  return items;
}

/** Where these items stand in the file; null where that cannot be said. */
function readExtents(
  file: Buffer,
  { content }: Box,
  data: Box | null,
  items: ReadonlyMap<number, string>,
): ReadonlyMap<number, readonly Extent[]> | null {
  const version = file.readUInt8(content);
  let at = content + 4;
  const read = (bytes: number): number => {
    at += bytes;
    if (bytes === 0) return 0;
    return bytes === 8 ? Number(file.readBigUInt64BE(at - 8)) : file.readUIntBE(at - bytes, bytes);
  };
  const sizes = read(2);
  const [offsetSize, lengthSize, baseSize, indexSize] = [12, 8, 4, 0].map((bits) => (sizes >> bits) & 15);
  const isKnown = [offsetSize, lengthSize, baseSize, indexSize].every((size) =>
    [0, 4, 8].includes(size ?? 1),
  );
  // Without a length an item is the whole file.
  if (version > 2 || !isKnown || lengthSize === 0) return null;
  const idSize = version === 2 ? 4 : 2;
  const extents = new Map<number, readonly Extent[]>();
  let bytes = 0;
  for (let left = read(idSize); left > 0; left--) {
    const id = read(idSize);
    const method = version === 0 ? 0 : read(2) & 15;
    read(2);
    const base = read(baseSize ?? 0);
    const own: Extent[] = [];
    for (let more = read(2); more > 0; more--) {
      if (version > 0) read(indexSize ?? 0);
      const [offset, length] = [read(offsetSize ?? 0), read(lengthSize ?? 0)];
      const start = base + offset + (method === 1 ? (data?.content ?? 0) : 0);
      own.push({ start, end: start + length });
      if (items.has(id)) bytes += length;
    }
    if (!items.has(id)) continue;
    const isPlain = method === 0 || (method === 1 && data !== null);
    // More than the file has stands there twice.
    if (!isPlain || bytes > file.length || own.some(({ start, end }) => end <= start || end > file.length))
      return null;
    extents.set(id, own);
  }
  return extents;
}
