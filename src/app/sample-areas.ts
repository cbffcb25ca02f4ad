// Areas of the sample market, imported with the listings placed in them.

import { request } from 'undici';
import type { AreaDraft } from '../areas/area.ts';
import type { Boundary } from '../geometry/geometry.ts';
import { updateAllPlacements, writeAreaBatch } from '../ingest/area-writer.ts';
import type { AreaType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';

interface SampleFeature {
  readonly geometry: Boundary | null;
  readonly properties: {
    readonly id: string;
    readonly type: AreaType;
    readonly name: string;
    readonly parentId: string | null;
    readonly codes?: Readonly<Record<string, string>>;
    readonly population?: number | null;
  };
}

/** Reads the sample's areas and writes those that are new or changed. The sample is ours: its form is trusted. */
export async function loadSampleAreas(database: Database, sampleUrl: string): Promise<void> {
  const { statusCode, body } = await request(`${sampleUrl}/areas.geojson`);
  if (statusCode !== 200) throw new Error(`The sample market answered ${statusCode} for its areas`);
  const { features } = (await body.json()) as { readonly features: readonly SampleFeature[] };
  const { changed } = await writeAreaBatch(database, 'sample', features.map(draftOf));
  if (changed > 0) await updateAllPlacements(database, () => {});
}

function draftOf({ geometry, properties }: SampleFeature): AreaDraft {
  return {
    type: properties.type,
    externalId: properties.id,
    name: properties.name,
    aliases: [],
    codes: properties.codes ?? {},
    parentReference: properties.parentId,
    population: properties.population ?? null,
    boundary: geometry,
  };
}
