// What a page says of the base map that its map draws under the areas. Pure: browsers read it too.

/** A part of the credits of a map; `href` is https, or null. */
export interface Credit {
  readonly text: string;
  readonly href: string | null;
}

export interface BasemapFacts {
  /** Below the root of the service. */
  readonly path: string;
  readonly kind: 'vector' | 'raster';
  readonly minZoom: number;
  readonly maxZoom: number;
  /** West, south, east, north. */
  readonly bounds: readonly [number, number, number, number];
  /** Names of its layers; none of a raster. */
  readonly layers: readonly string[];
  readonly credits: readonly Credit[];
}
