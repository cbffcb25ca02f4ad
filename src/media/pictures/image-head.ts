// Heads of image files: which of the four formats they are in, and how large the picture is. Nothing is decoded.

export const FORMATS = ['jpeg', 'png', 'webp', 'avif'] as const;
export type ImageFormat = (typeof FORMATS)[number];

export interface ImageHead {
  readonly format: ImageFormat;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Pixels of a picture that is kept, decoded or sent. */
export const MAX_PIXELS = 50_000_000;

/** The head of a file; null where it is in none of these formats, or says no size. Never throws. */
export function readHead(file: Buffer): ImageHead | null {
  const format = formatOf(file);
  const size = format === null ? null : SIZES[format](file);
  if (format === null || size === null || size.width < 1 || size.height < 1) return null;
  return { format, ...size };
}

/** The format that the first bytes name; null: none of ours. */
export function formatOf(file: Buffer): ImageFormat | null {
  if (file.length < 12) return null;
  if (file[0] === 0xff && file[1] === 0xd8 && file[2] === 0xff) return 'jpeg';
  if (file.subarray(0, 8).equals(PNG)) return 'png';
  if (textAt(file, 0) === 'RIFF' && textAt(file, 8) === 'WEBP') return 'webp';
  return textAt(file, 4) === 'ftyp' && isAvif(file) ? 'avif' : null;
}

type Size = Omit<ImageHead, 'format'>;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const textAt = (file: Buffer, at: number): string => file.toString('latin1', at, at + 4);

/** Files of HEIF name the brands that they keep to; only those of AVIF are read. */
function isAvif(file: Buffer): boolean {
  const end = Math.min(file.readUInt32BE(0), file.length, 256);
  for (let at = 8; at + 4 <= end; at += 4) if (['avif', 'avis'].includes(textAt(file, at))) return true;
  return false;
}

const SIZES: Readonly<Record<ImageFormat, (file: Buffer) => Size | null>> = {
  jpeg: jpegSize,
  png: (file) =>
    file.length < 24 || textAt(file, 12) !== 'IHDR'
      ? null
      : { width: file.readUInt32BE(16), height: file.readUInt32BE(20) },
  webp: webpSize,
  avif: avifSize,
};

/** Markers of frames; those between them that are none: tables of Huffman codes, extensions, arithmetic coding. */
const NO_FRAMES: readonly number[] = [0xc4, 0xc8, 0xcc];

function jpegSize(file: Buffer): Size | null {
  let at = 2;
  while (at + 9 < file.length) {
    if (file[at] !== 0xff) return null;
    const marker = file[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.includes(marker))
      return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
    // The picture itself begins, or ends, without a frame before it.
    if (marker === 0xda || marker === 0xd9) return null;
    const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += 2 + (isBare ? 0 : file.readUInt16BE(at + 2));
  }
  return null;
}

function webpSize(file: Buffer): Size | null {
  if (file.length < 30) return null;
  const kind = textAt(file, 12);
  if (kind === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8L') {
    const bits = file.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8 ') return null;
  return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
}

/** Bytes in which the properties of a picture are looked for. */
const AVIF_HEAD = 65_536;

/** Of the pictures that a file names, tiles among them, the largest. */
function avifSize(file: Buffer): Size | null {
  const head = file.subarray(0, AVIF_HEAD);
  let largest: Size | null = null;
  for (let at = head.indexOf('ispe'); at !== -1; at = head.indexOf('ispe', at + 4)) {
    if (at + 16 > head.length) break;
    const size = { width: head.readUInt32BE(at + 8), height: head.readUInt32BE(at + 12) };
    if (largest === null || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}
