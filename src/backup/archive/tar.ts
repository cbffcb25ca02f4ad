// Members of a tar file (ustar, POSIX.1-1988): regular files with a name, a size and a time.

/** Bytes of a header; content is filled up to a multiple of it. */
export const BLOCK = 512;
/** Two empty blocks end the file. */
export const END_OF_TAR = Buffer.alloc(2 * BLOCK);

const MAX_NAME = 100;
/** Eleven octal digits. */
const MAX_SIZE = 8 ** 11 - 1;

export interface TarMember {
  /** ASCII, at most 100 bytes. */
  readonly name: string;
  /** Bytes of the content. */
  readonly size: number;
  /** Seconds since the epoch. */
  readonly modified: number;
}

/** The header of a regular file that only its owner can read. Throws a RangeError for what it cannot hold. */
export function tarHeader({ name, size, modified }: TarMember): Buffer {
  if (!/^[ -~]+$/.test(name) || name.length > MAX_NAME)
    throw new RangeError(`A name in a tar file has 1 to ${MAX_NAME} characters of ASCII: ${name}`);
  if (size > MAX_SIZE) throw new RangeError(`A member of a tar file has at most ${MAX_SIZE} bytes: ${name}`);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 'latin1');
  for (const [value, at, digits] of [
    [0o600, 100, 7],
    [0, 108, 7],
    [0, 116, 7],
    [size, 124, 11],
    [modified, 136, 11],
  ] as const)
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  // A regular file, and no link.
  block.write('0', 156, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  // The checksum counts its own field as spaces.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1');
  return block;
}

/** The member of a header that `tarHeader` has made; null if it is damaged, or another program's. */
export function parseTarHeader(block: Buffer): TarMember | null {
  const text = (start: number, end: number): string =>
    block.toString('latin1', start, end).split('\u0000', 1)[0] ?? '';
  const member = {
    name: text(0, 100),
    size: Number.parseInt(text(124, 136), 8),
    modified: Number.parseInt(text(136, 148), 8),
  };
  try {
    return tarHeader(member).equals(block) ? member : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The zeros that follow content of that size. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

export const isEmptyBlock = (block: Buffer): boolean => block.every((byte) => byte === 0);
