// Zip archives made for tests, also such as no program makes: with lies about sizes, links, and names outside of the archive.

import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string;
  readonly content: string | Buffer;
  /** What the archive says of it; default: the truth. */
  readonly size?: number;
  readonly sum?: number;
  /** Mode of a file, as systems like Unix store it. */
  readonly mode?: number;
  readonly isEncrypted?: boolean;
  /** Default: deflated. */
  readonly method?: number;
}

/** The bytes of an archive with these files. @param count entries that it claims to have */
export function zipOf(parts: readonly ZipPart[], count = parts.length): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const content = Buffer.from(part.content);
    const { method = 8 } = part;
    const packed = method === 0 ? content : deflateRawSync(content);
    const name = Buffer.from(part.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (part.isEncrypted === true ? 1 : 0), 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(part.sum ?? crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(part.size ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    files.push(Buffer.from('PK\x03\x04'), common, name, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((part.mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, rest, name);
    offset += 30 + name.length + packed.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, entries, end]);
}
