// Packages that browsers load: the module of each that an import of its name means there.

export interface BrowserPackage {
  /** Path in the package. */
  readonly entry: string;
  /** Further files that its code loads by their URL beside its own. */
  readonly companions?: readonly string[];
}

export const PACKAGES = {
  'maplibre-gl': { entry: 'dist/maplibre-gl.mjs', companions: ['dist/maplibre-gl-worker.mjs'] },
  'lit-html': { entry: 'lit-html.js' },
  'eventsource-parser': { entry: 'dist/index.js' },
  'terra-draw': { entry: 'dist/terra-draw.modern.js' },
  'terra-draw-maplibre-gl-adapter': { entry: 'dist/terra-draw-maplibre-gl-adapter.modern.js' },
  pmtiles: { entry: 'dist/esm/index.js' },
  fflate: { entry: 'esm/browser.js' },
} as const satisfies Readonly<Record<string, BrowserPackage>>;

export type PackageName = keyof typeof PACKAGES;
