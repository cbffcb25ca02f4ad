// Geometry that searches are held against: distances by vectors in space, polygons by the angle they wind.

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

const RADIUS_KM = 6371.0088;

function vector({ lat, lng }: Place): readonly [number, number, number] {
  const [up, round] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180];
  return [Math.cos(up) * Math.cos(round), Math.cos(up) * Math.sin(round), Math.sin(up)];
}

/** Kilometres along the sphere: the angle between two vectors, exact for small angles and large ones. */
export function along(a: Place, b: Place): number {
  const [[ax, ay, az], [bx, by, bz]] = [vector(a), vector(b)];
  const cross = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
  return RADIUS_KM * Math.atan2(cross, ax * bx + ay * by + az * bz);
}

export const inCircle = (centre: Place, place: Place, km: number): boolean => along(centre, place) <= km;

export function corners(polygon: string): Place[] {
  return polygon.split(';').map((pair) => {
    const [lng = 0, lat = 0] = pair.split(',').map(Number);
    return { lng, lat };
  });
}

const edges = (polygon: readonly Place[]) =>
  polygon.map((end, index) => [polygon.at(index - 1) ?? end, end] as const);

/** Degrees from a point to the nearest edge. */
export function fromEdge(polygon: readonly Place[], { lng, lat }: Place): number {
  const distances = edges(polygon).map(([a, b]) => {
    const [dx, dy] = [b.lng - a.lng, b.lat - a.lat];
    const length = dx * dx + dy * dy;
    const part = length === 0 ? 0 : ((lng - a.lng) * dx + (lat - a.lat) * dy) / length;
    const nearest = Math.min(1, Math.max(0, part));
    return Math.hypot(a.lng + nearest * dx - lng, a.lat + nearest * dy - lat);
  });
  return Math.min(...distances);
}

/** How often the polygon goes round a point that is on none of its edges, by the angles that its edges span. */
export function turns(polygon: readonly Place[], { lng, lat }: Place): number {
  let angle = 0;
  for (const [a, b] of edges(polygon)) {
    const [ax, ay, bx, by] = [a.lng - lng, a.lat - lat, b.lng - lng, b.lat - lat];
    angle += Math.atan2(ax * by - ay * bx, ax * bx + ay * by);
  }
  return Math.round(angle / (2 * Math.PI));
}

/**
 * The corners in the order in which they lie around their centre, so that no edges cross; null where they lie on one line.
 * Of two in one direction the nearer one is left out.
 */
export function aroundCentre(places: readonly Place[]): Place[] | null {
  const mean = (of: (place: Place) => number): number =>
    places.reduce((sum, place) => sum + of(place) / places.length, 0);
  const widths = [places.map(({ lng }) => lng), places.map(({ lat }) => lat)].map(
    (values) => Math.max(...values) - Math.min(...values),
  );
  // A little off the grid on which the corners are: none of them is the centre.
  const centre = {
    lng: mean(({ lng }) => lng) + 0.0137 * (widths[0] ?? 0),
    lat: mean(({ lat }) => lat) + 0.0071 * (widths[1] ?? 0),
  };
  const seen = places.map((place) => {
    const [x, y] = [place.lng - centre.lng, place.lat - centre.lat];
    return { place, angle: Math.atan2(y, x), distance: Math.hypot(x, y) };
  });
  const sorted = seen.sort((a, b) => a.angle - b.angle || a.distance - b.distance);
  const ring = sorted.filter(({ angle }, at) => (sorted[at + 1]?.angle ?? 9) - angle > 1e-5);
  const widest = ring.map(
    ({ angle }, at) => (ring[at + 1]?.angle ?? (ring[0]?.angle ?? 0) + 2 * Math.PI) - angle,
  );
  return ring.length < 3 || Math.max(...widest) > Math.PI - 1e-4 ? null : ring.map(({ place }) => place);
}

/** Degrees within which a point counts as on an edge: coordinates are decimal, edges between them are not. */
export const ON_EDGE = 1e-12;

export function windsAround(text: string, lng: number, lat: number): boolean {
  const polygon = corners(text);
  // The meridians 180 and -180 are one.
  return (Math.abs(lng) === 180 ? [180, -180] : [lng]).some((each) => {
    const place = { lng: each, lat };
    return fromEdge(polygon, place) <= ON_EDGE || turns(polygon, place) !== 0;
  });
}
