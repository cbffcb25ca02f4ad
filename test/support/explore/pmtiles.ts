// PMTiles archives made by code, byte for byte as its specification says: for tests of the base map.

import { gzipSync } from 'node:zlib';

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
};

/** A field of a protobuf message with bytes. */
const field = (number: number, bytes: readonly number[]): number[] => [
  ...varint(number * 8 + 2),
  ...varint(bytes.length),
  ...bytes,
];
const text = (value: string): number[] => [...Buffer.from(value)];
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

export interface TileLayer {
  readonly name: string;
  /** Corners in parts of the extent of the tile: of a polygon, or of a line. */
  readonly corners: readonly (readonly [number, number])[];
  readonly isLine?: boolean;
  readonly properties?: Readonly<Record<string, string>>;
}

/** A tile in the Mapbox Vector Tile format with one feature a layer. */
export function vectorTile(layers: readonly TileLayer[], extent = 4096): Uint8Array {
  const bytes = layers.flatMap(({ name, corners, isLine = false, properties = {} }) => {
    const [first = [0, 0], ...others] = corners;
    let [x, y] = [first[0], first[1]];
    const commands = [9, zigzag(x), zigzag(y), others.length * 8 + 2];
    for (const [nextX, nextY] of others) {
      commands.push(zigzag(nextX - x), zigzag(nextY - y));
      [x, y] = [nextX, nextY];
    }
    if (!isLine) commands.push(15);
    const keys = Object.keys(properties);
    const feature = [
      ...field(
        2,
        keys.flatMap((_, at) => [...varint(at), ...varint(at)]),
      ),
      ...varint(3 * 8),
      isLine ? 2 : 3,
      ...field(4, commands.flatMap(varint)),
    ];
    return field(3, [
      ...varint(15 * 8),
      2,
      ...field(1, text(name)),
      ...field(2, feature),
      ...keys.flatMap((key) => field(3, text(key))),
      ...Object.values(properties).flatMap((value) => field(4, field(1, text(value)))),
      ...varint(5 * 8),
      ...varint(extent),
    ]);
  });
  return Uint8Array.from(bytes);
}

export interface ArchiveOptions {
  /** The tile at zoom 0. */
  readonly tile: Uint8Array;
  readonly metadata: object;
  /** 1 MVT, 2 PNG, 6 MLT. */
  readonly type?: number;
  /** 1 none, 2 gzip, 3 Brotli. */
  readonly tileCompression?: number;
  readonly version?: number;
}

/** An archive of one tile. */
export function pmtilesArchive({
  tile,
  metadata,
  type = 1,
  tileCompression = 2,
  version = 3,
}: ArchiveOptions): Buffer {
  const data = tileCompression === 2 ? gzipSync(tile) : Buffer.from(tile);
  // One entry: its id 0, its run length 1, its length, and its offset 0 plus one.
  const directory = gzipSync(Uint8Array.from([...varint(1), 0, 1, ...varint(data.length), 1]));
  const described = gzipSync(JSON.stringify(metadata));
  const header = Buffer.alloc(127);
  header.write('PMTiles', 'latin1');
  header[7] = version;
  const offsets = [
    [127, directory.length],
    [127 + directory.length, described.length],
    [127 + directory.length + described.length, 0],
    [127 + directory.length + described.length, data.length],
  ] as const;
  for (const [at, [offset, length]] of offsets.entries()) {
    header.writeBigUInt64LE(BigInt(offset), 8 + 16 * at);
    header.writeBigUInt64LE(BigInt(length), 16 + 16 * at);
  }
  for (const at of [72, 80, 88]) header.writeBigUInt64LE(1n, at);
  header.set([1, 2, tileCompression, type, 0, 0], 96);
  for (const [at, degrees] of [-180, -85, 180, 85].entries())
    header.writeInt32LE(degrees * 10_000_000, 102 + 4 * at);
  return Buffer.concat([header, directory, described, data]);
}
