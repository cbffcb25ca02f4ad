// The two members of EXIF that pictures keep: how they are turned, and whose they are. Places, times, devices and thumbnails go.

export interface ExifMembers {
  /** 1 to 8 as EXIF counts them; null: not stated, or as it is. */
  readonly orientation: number | null;
  /** As it is written, without the zero at its end; null: not stated. */
  readonly copyright: Buffer | null;
}

export const NO_EXIF: ExifMembers = { orientation: null, copyright: null };

const ORIENTATION = 0x01_12;
const COPYRIGHT = 0x82_98;
const [ASCII, SHORT] = [2, 3];
/** Bytes of a copyright that is kept. */
const MAX_COPYRIGHT = 1_000;
/** Members of a list that are read. */
const MAX_MEMBERS = 1_000;

/** Reads the block that begins with the byte order (a TIFF header). Never throws: what is broken is not stated. */
export function readExif(block: Buffer): ExifMembers {
  if (block.length < 14) return NO_EXIF;
  const order = block.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return NO_EXIF;
  const isLittle = order === 'II';
  const short = (at: number): number =>
    at + 2 > block.length ? 0 : isLittle ? block.readUInt16LE(at) : block.readUInt16BE(at);
  const long = (at: number): number =>
    at + 4 > block.length ? 0 : isLittle ? block.readUInt32LE(at) : block.readUInt32BE(at);
  const list = long(4);
  let { orientation, copyright } = NO_EXIF;
  for (let index = 0; index < Math.min(short(list), MAX_MEMBERS); index++) {
    const at = list + 2 + index * 12;
    const [tag, type, count] = [short(at), short(at + 2), long(at + 4)];
    if (tag === ORIENTATION && type === SHORT && count === 1) orientation = short(at + 8);
    if (tag !== COPYRIGHT || type !== ASCII || count > MAX_COPYRIGHT) continue;
    const start = count <= 4 ? at + 8 : long(at + 8);
    copyright = textOf(block.subarray(start, start + count));
  }
  return {
    orientation: orientation !== null && orientation > 1 && orientation <= 8 ? orientation : null,
    copyright,
  };
}

/** Photographers and editors are divided by a zero, which stays between them. */
function textOf(bytes: Buffer): Buffer | null {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 0 || bytes[end - 1] === 0x20)) end--;
  return end === 0 ? null : Buffer.from(bytes.subarray(0, end));
}

/** A block with these members alone; null where there are none. */
export function buildExif({ orientation, copyright }: ExifMembers): Buffer | null {
  const count = Number(orientation !== null) + Number(copyright !== null);
  if (count === 0) return null;
  const head = Buffer.alloc(8 + 2 + count * 12 + 4);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(count, 8);
  let at = 10;
  const member = (tag: number, type: number, size: number): number => {
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(type, at + 2);
    head.writeUInt32LE(size, at + 4);
    at += 12;
    return at - 4;
  };
  if (orientation !== null) head.writeUInt16LE(orientation, member(ORIENTATION, SHORT, 1));
  if (copyright === null) return head;
  // Texts of up to four bytes would stand in the list itself: they get zeros at their end.
  const text = Buffer.concat([copyright, Buffer.alloc(Math.max(1, 5 - copyright.length))]);
  head.writeUInt32LE(head.length, member(COPYRIGHT, ASCII, text.length));
  return Buffer.concat([head, text]);
}
