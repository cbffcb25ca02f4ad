// Coordinates in metres of a projection, as longitude and latitude (WGS 84).

import proj4 from 'proj4';

/** The British National Grid, by the shift of datum that is right to five metres. */
const BRITISH_GRID =
  '+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996012717 +x_0=400000 +y_0=-100000 +ellps=airy ' +
  '+towgs84=446.448,-125.157,542.06,0.15,0.247,0.842,-20.489 +units=m +no_defs';

const NAMES: Readonly<Record<string, string>> = {
  'EPSG:3857': 'Web Mercator',
  'EPSG:27700': 'British National Grid',
};

/** Zones of UTM by WGS 84 north and south, and by ETRS89, which is the same to a metre. */
const UTM = /^EPSG:(?:32([67])(\d\d)|258(2[89]|3[0-8]))$/;

/** What people call a projection that is converted; null for another one. */
export function projectionName(code: string): string | null {
  const named = NAMES[code];
  if (named !== undefined) return named;
  const [, hemisphere, zone, european] = UTM.exec(code) ?? [];
  const number = Number(zone ?? european);
  if (!(number >= 1 && number <= 60)) return null;
  return `UTM zone ${number}${hemisphere === '7' ? ' south' : ' north'}`;
}

/** Longitude and latitude of a point in metres; null where it is none of the projection. Throws for an unknown projection. */
export function unproject(code: string, x: number, y: number): readonly [lng: number, lat: number] | null {
  const [lng = Number.NaN, lat = Number.NaN] = converterOf(code).inverse([x, y]);
  if (!Number.isFinite(lng) || !Number.isFinite(lat) || Math.abs(lat) > 90) return null;
  return [roundDegrees(lng), roundDegrees(lat)];
}

/** Seven decimals are a centimetre. */
const roundDegrees = (value: number): number => Math.round(value * 1e7) / 1e7;

interface Converter {
  inverse(point: [number, number]): number[];
}

const converters = new Map<string, Converter>();

function converterOf(code: string): Converter {
  const known = converters.get(code);
  if (known !== undefined) return known;
  if (projectionName(code) === null) throw new Error(`${code} is not a projection that is converted.`);
  const converter: Converter = proj4('EPSG:4326', definitionOf(code));
  converters.set(code, converter);
  return converter;
}

function definitionOf(code: string): string {
  if (code === 'EPSG:27700') return BRITISH_GRID;
  const [, hemisphere, zone, european] = UTM.exec(code) ?? [];
  if (european !== undefined) return `+proj=utm +zone=${european} +ellps=GRS80 +units=m +no_defs`;
  if (zone === undefined) return code;
  return `+proj=utm +zone=${Number(zone)}${hemisphere === '7' ? ' +south' : ''} +datum=WGS84 +units=m +no_defs`;
}
