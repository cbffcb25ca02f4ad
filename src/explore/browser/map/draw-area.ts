// Drawing of an area on the live map: corners by click, closed by a click on the first one.

import type { Map as LibreMap } from 'maplibre-gl';
import { TerraDraw, TerraDrawPolygonMode } from 'terra-draw';
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter';

/** lng, lat */
type Corner = readonly [number, number];

/** The corners of the area that the reader draws; null: they press Escape. */
export function drawPolygon(map: LibreMap): Promise<readonly Corner[] | null> {
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
    modes: [new TerraDrawPolygonMode({ styles })],
  });
  draw.start();
  draw.setMode('polygon');
  return new Promise((resolve) => {
    const end = (corners: readonly Corner[] | null): void => {
      removeEventListener('keydown', cancel);
      draw.stop();
      resolve(corners);
    };
    const cancel = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') end(null);
    };
    addEventListener('keydown', cancel);
    draw.on('finish', (id) => {
      const geometry = draw.getSnapshotFeature(id)?.geometry;
      const [ring = []] = geometry?.type === 'Polygon' ? geometry.coordinates : [];
      end(ring.slice(0, -1).map(([lng = 0, lat = 0]): Corner => [lng, lat]));
    });
  });
}
