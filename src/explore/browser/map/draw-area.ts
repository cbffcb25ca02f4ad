// Drawing of an area on the live map: corners by click, closed by a click on the first one.

import type { Map as LibreMap } from 'maplibre-gl';
import { TerraDraw, TerraDrawPolygonMode, ValidateNotSelfIntersecting } from 'terra-draw';
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter';
import type { Corner } from './map-style.ts';

/** The corners of the area that the reader draws; null: the signal is aborted. */
export function drawPolygon(map: LibreMap, signal: AbortSignal): Promise<readonly Corner[] | null> {
  const accent = getComputedStyle(document.documentElement)
    .getPropertyValue('--accent')
    .trim() as `#${string}`;
  const styles = {
    fillColor: accent,
    fillOpacity: 0.1,
    outlineColor: accent,
    outlineWidth: 2,
    closingPointColor: accent,
  };
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map }),
    // Sides that cross have no inside that everybody would agree on.
    modes: [
      new TerraDrawPolygonMode({ styles, validation: (feature) => ValidateNotSelfIntersecting(feature) }),
    ],
  });
  draw.start();
  draw.setMode('polygon');
  return new Promise((resolve) => {
    const end = (corners: readonly Corner[] | null): void => {
      signal.removeEventListener('abort', abort);
      draw.stop();
      resolve(corners);
    };
    const abort = (): void => end(null);
    signal.addEventListener('abort', abort);
    draw.on('finish', (id) => {
      const geometry = draw.getSnapshotFeature(id)?.geometry;
      const [ring = []] = geometry?.type === 'Polygon' ? geometry.coordinates : [];
      end(ring.slice(0, -1).map(([lng = 0, lat = 0]): Corner => [lng, lat]));
    });
  });
}
