// Settings of the explorer: who may look, which page may show it in a frame, and what its map stands on.

import type { SettingsReader, UrlRules } from '../../lib/settings.ts';
import { AUDIENCES, type Audience } from '../../licence/terms/terms.ts';

export interface ExplorerSettings {
  /** The widest that may look: licences open each listing to them, or to fewer. */
  readonly audience: Audience;
  /** Origin of pages that may show the explorer in a frame; null: none. */
  readonly embedder: string | null;
  /** Absolute path of a PMTiles archive; null: the map has the outlines of areas alone. */
  readonly basemapFile: string | null;
}

/** Adds what is wrong to the faults of the reader. */
export function readExplorerSettings(
  read: SettingsReader,
  http: NonNullable<UrlRules['http']>,
  folder: string,
): ExplorerSettings {
  const audience = read.oneOf('EXPLORER', AUDIENCES, 'public');
  const embedder = read.url('EXPLORER_EMBED', { bare: true, http });
  if (embedder !== null && URL.parse(embedder)?.origin !== embedder)
    read.faults.push('EXPLORER_EMBED must be an origin such as https://www.example.com, without a path');
  return { audience, embedder, basemapFile: read.path('BASEMAP_FILE', folder) };
}
