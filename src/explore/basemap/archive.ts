// The operator's base map: a PMTiles archive, checked at the start and read by ranges.

import { hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Compression, type Header, PMTiles, type Source, TileType } from 'pmtiles';
import { Problem } from '../../lib/problem.ts';
import { readCredits } from './credits.ts';
import type { BasemapFacts } from './facts.ts';

/** Folder of the archive below the root of the service. */
export const BASEMAP_PATH = 'explore/basemap';

/** Bytes that the header of an archive takes, and of its beginning that readers ask for first. */
const HEADER_BYTES = 127;
const BEGINNING_BYTES = 16_384;
/** Bytes of an answer: the largest tiles and directories are smaller. */
export const MAX_RANGE = 2_097_152;

const RASTERS: readonly TileType[] = [TileType.Png, TileType.Jpeg, TileType.Webp, TileType.Avif];
/** What browsers unpack by themselves. */
const PACKED: readonly Compression[] = [Compression.None, Compression.Gzip];

/** Layers that the map draws, of the schemas of Protomaps and of OpenMapTiles. */
const KNOWN_LAYERS = ['earth', 'water', 'landuse', 'landcover', 'roads', 'transportation'];

export interface Basemap {
  readonly facts: BasemapFacts;
  /** Hash of what the file was at the start. */
  readonly version: string;
  readonly size: number;
  /** At most MAX_RANGE bytes from an offset. Throws NOT_FOUND once the file has changed. */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens an archive. Throws one Error that says what is wrong with the file, and what to do. */
export async function openBasemap(file: string): Promise<Basemap> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new Error(`BASEMAP_FILE: ${file} cannot be read`, { cause });
  });
  try {
    return await readArchive(file, handle);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readArchive(file: string, handle: FileHandle): Promise<Basemap> {
  const fault = (what: string): Error => new Error(`BASEMAP_FILE: ${file} ${what}`);
  const stats = await handle.stat();
  if (!stats.isFile()) throw fault('is no file');
  const beginning = await bytesOf(handle, 0, Math.min(stats.size, BEGINNING_BYTES));
  const signature = Buffer.from(beginning.subarray(0, 7)).toString('latin1');
  if (beginning.length < HEADER_BYTES || signature !== 'PMTiles')
    throw fault('is no PMTiles archive; docs/basemap.md says how to make one');
  if (beginning[7] !== 3) throw fault(`is PMTiles of version ${beginning[7]}; convert it to version 3`);
  const source: Source = {
    getKey: () => file,
    getBytes: async (offset, length) => ({ data: await bufferOf(handle, offset, length) }),
  };
  const archive = new PMTiles(source);
  const unreadable = (cause: unknown) => {
    throw new Error(`BASEMAP_FILE: ${file} cannot be read as PMTiles; is it whole?`, { cause });
  };
  const header = await archive.getHeader().catch(unreadable);
  checkHeader(header, stats, fault);
  const metadata = Object((await archive.getMetadata().catch(unreadable)) ?? {}) as Record<string, unknown>;
  const layers = layersOf(metadata);
  const isVector = header.tileType === TileType.Mvt;
  if (isVector && !layers.some((name) => KNOWN_LAYERS.includes(name)))
    throw fault(
      `has the layers ${layers.join(', ') || 'of nobody'}; the map draws those of the schemas of Protomaps and OpenMapTiles`,
    );
  const version = hash(
    'sha256',
    `${stats.size} ${stats.mtimeMs} ${Buffer.from(beginning).toString('base64')}`,
  ).slice(0, 16);
  const { minLon, minLat, maxLon, maxLat, minZoom, maxZoom } = header;
  return {
    version,
    size: stats.size,
    facts: {
      path: `${BASEMAP_PATH}/${version}.pmtiles`,
      kind: isVector ? 'vector' : 'raster',
      minZoom,
      maxZoom,
      bounds: [minLon, minLat, maxLon, maxLat],
      layers,
      credits: readCredits(metadata.attribution),
    },
    async read(offset, length) {
      const now = await handle.stat();
      if (now.size !== stats.size || now.mtimeMs !== stats.mtimeMs)
        throw new Problem(
          'NOT_FOUND',
          'The base map has been replaced. It is there again once the service was restarted.',
        );
      return bytesOf(handle, offset, Math.min(length, MAX_RANGE));
    },
    close: () => handle.close(),
  };
}

/** Throws for what no browser could show, and for a file whose end is missing. */
function checkHeader(header: Header, { size }: Stats, fault: (what: string) => Error): void {
  const { tileType, tileCompression, internalCompression, tileDataOffset, tileDataLength = 0 } = header;
  if (tileType !== TileType.Mvt && !RASTERS.includes(tileType))
    throw fault(
      `has tiles of the type ${TileType[tileType] ?? tileType}; MVT, PNG, JPEG, WebP and AVIF can be shown`,
    );
  for (const used of [internalCompression, tileCompression])
    if (!PACKED.includes(used))
      throw fault(`is compressed by ${Compression[used] ?? used}; browsers unpack gzip only: convert it`);
  if (tileDataOffset + tileDataLength > size)
    throw fault(`ends after ${size} bytes of ${tileDataOffset + tileDataLength}; copy it again`);
}

function layersOf({ vector_layers: layers }: Record<string, unknown>): readonly string[] {
  if (!Array.isArray(layers)) return [];
  return layers.flatMap((layer: { id?: unknown } | null) =>
    typeof layer?.id === 'string' ? [layer.id] : [],
  );
}

async function bytesOf(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

/** A buffer of its own, as the library slices it. */
async function bufferOf(handle: FileHandle, offset: number, length: number): Promise<ArrayBuffer> {
  const bytes = await bytesOf(handle, offset, length);
  return new Uint8Array(bytes).buffer;
}
