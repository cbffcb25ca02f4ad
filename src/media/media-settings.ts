// Settings of photos: how they are shown where a source says nothing of it, and where copies and sizes are kept.

import { join, resolve } from 'node:path';
import type { NetworkPort } from '../lib/ip-address.ts';
import type { SettingsReader } from '../lib/settings.ts';
import { MEDIA_MODES, type MediaMode } from '../listings/pictures/own-pictures.ts';

export interface MediaSettings {
  /** Of sources that say nothing of it. */
  readonly mode: MediaMode;
  /** Where copies are kept, absolute: all processes of a service have the same. */
  readonly folder: string;
  /** Where this process keeps what it can fetch or make again, absolute. */
  readonly cacheFolder: string;
  readonly cacheMegabytes: number;
  /** Whether sizes are made as AVIF, too. */
  readonly avif: boolean;
  /** Ports of inner networks from which photos may be fetched. */
  readonly allow: readonly NetworkPort[];
}

/** `dataDirectory`: absolute. */
export function readMediaSettings(
  read: SettingsReader,
  folder: string,
  dataDirectory: string,
): MediaSettings {
  return {
    mode: read.oneOf('MEDIA', MEDIA_MODES, 'link'),
    folder: resolve(folder, read.text('MEDIA_DIR') ?? join(dataDirectory, 'photos')),
    cacheFolder: join(dataDirectory, 'photo-cache'),
    cacheMegabytes: read.integer('MEDIA_CACHE_MB', 1_000, 10, 1_000_000),
    avif: read.oneOf('MEDIA_AVIF', ['on', 'off'], 'off') === 'on',
    allow: read.networkPorts('MEDIA_ALLOW'),
  };
}
