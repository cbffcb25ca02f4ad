// The operator's base map under the areas: ranges of one archive of this service, drawn in the colours of the page.

import { addProtocol, type SourceSpecification } from 'maplibre-gl';
import { PMTiles, Protocol, type RangeResponse, type Source } from 'pmtiles';
import type { BasemapFacts } from '../../basemap/facts.ts';
import { serviceUrl } from '../explorer.ts';
import { token } from '../session.ts';
import { type Color, type Layer, rasterLayer, sourceLayerOf, vectorLayers } from './base-layers.ts';

/** What a style is made of, beside the areas. */
export interface BaseLayers {
  readonly source: SourceSpecification;
  /** From the ground up. `hasNames`: places too, where there are no areas that have names. */
  layers(color: Color, hasNames: boolean): readonly Layer[];
}

/** Prepares the archive; nothing of it is loaded before the map asks. */
export function openBaseLayers(facts: BasemapFacts): BaseLayers {
  const protocol = new Protocol();
  const archive = new ServiceRanges(serviceUrl(facts.path));
  protocol.add(new PMTiles(archive));
  addProtocol('pmtiles', protocol.tile);
  const { minZoom: minzoom, maxZoom: maxzoom, bounds } = facts;
  const tiles = {
    tiles: [`pmtiles://${archive.getKey()}/{z}/{x}/{y}`],
    minzoom,
    maxzoom,
    bounds: [...bounds] as [number, number, number, number],
  };
  if (facts.kind === 'raster')
    return { source: { type: 'raster', tileSize: 256, ...tiles }, layers: () => [rasterLayer()] };
  return {
    source: { type: 'vector', ...tiles },
    layers: (color, hasNames) =>
      vectorLayers(color, hasNames).filter((layer) => facts.layers.includes(sourceLayerOf(layer) ?? '')),
  };
}

/** Reads ranges with the credential of the signed-in person, if there is one. */
class ServiceRanges implements Source {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  getKey(): string {
    return this.#url;
  }

  async getBytes(offset: number, length: number, signal?: AbortSignal): Promise<RangeResponse> {
    const credential = await token();
    const headers: Record<string, string> = { range: `bytes=${offset}-${offset + length - 1}` };
    if (credential !== null) headers.authorization = `Bearer ${credential}`;
    const answer = await fetch(this.#url, { headers, ...(signal && { signal }) });
    if (!answer.ok)
      throw new Error(`The base map cannot be read: the service answered with ${answer.status}.`);
    return { data: await answer.arrayBuffer() };
  }
}
