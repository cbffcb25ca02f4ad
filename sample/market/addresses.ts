// Addresses of homes: points on the streets of a neighbourhood, with house numbers that rise along each street.

import { type Land, toDegrees } from '../land/land.ts';
import { cellAt, cellX, cellY, neighbour, SPACING } from '../land/mesh.ts';
import streets from '../names/streets.json' with { type: 'json' };
import { hashText, type Random } from '../random.ts';
import type { Address } from './home.ts';

/** Distance between parallel streets, km. */
const BLOCK = 0.12;
/** Distance of a front door from the middle of its street, km. */
const SETBACK = 0.02;
/** House numbers start here, so that none is negative, km. */
const ZERO = 9;

export interface AddressBook {
  /** A new address in the neighbourhood; `byWater` prefers its shore. */
  next(neighborhood: number, byWater: boolean, random: Random): Address;
}

interface CellLists {
  readonly all: number[];
  readonly shore: number[];
}

export function openAddressBook(land: Land): AddressBook {
  const cells: CellLists[] = land.neighborhoods.map(() => ({ all: [], shore: [] }));
  const atBorder = new Uint8Array(land.mesh.size);
  for (const cell of land.mesh.landCells) {
    const { like, wet } = neighboursOf(land, cell);
    if (like < 6) atBorder[cell] = 1;
    // Smoothing wears away the tips of spits: nobody lives there.
    if (like < 3) continue;
    const lists = cells[land.neighborhoodOf[cell] ?? -1];
    lists?.all.push(cell);
    if (wet > 0) lists?.shore.push(cell);
  }
  const taken = new Set<string>();
  return {
    next(neighborhood, byWater, random) {
      const lists = cells[neighborhood];
      const list = byWater && lists && lists.shore.length > 0 ? lists.shore : (lists?.all ?? []);
      const spot = findSpot(land, list, atBorder, random);
      return nameSpot(land, neighborhood, spot, taken);
    },
  };
}

/** How many of a cell's neighbours share its neighbourhood and postal code, and how many are water. */
function neighboursOf(land: Land, cell: number): { like: number; wet: number } {
  let like = 0;
  let wet = 0;
  for (let side = 0; side < 6; side += 1) {
    const other = neighbour(cell, side);
    if (land.mesh.land[other] === 0) wet += 1;
    else if (
      land.neighborhoodOf[other] === land.neighborhoodOf[cell] &&
      land.postalOf[other] === land.postalOf[cell]
    ) {
      like += 1;
    }
  }
  return { like, wet };
}

interface Spot {
  readonly cell: number;
  readonly x: number;
  readonly y: number;
  /** 0: along the grid, 1: across it. */
  readonly axis: number;
  /** Which street of that axis. */
  readonly line: number;
  /** Position along the street, km from its start. */
  readonly along: number;
  readonly evenSide: boolean;
}

function findSpot(land: Land, list: readonly number[], atBorder: Uint8Array, random: Random): Spot {
  for (let attempt = 0; ; attempt += 1) {
    const start = random.pick(list);
    const x = cellX(start) + (random.unit() - 0.5) * SPACING;
    const y = cellY(start) + (random.unit() - 0.5) * SPACING;
    const spot = snapToStreet(land, start, x, y, random);
    const dx = spot.x - cellX(spot.cell);
    const dy = spot.y - cellY(spot.cell);
    // Borders are smoothed away from the cells they follow: near one, only the middle of a cell is surely inside.
    const safe =
      atBorder[spot.cell] === 0 ||
      (neighboursOf(land, spot.cell).like >= 3 && dx * dx + dy * dy < (SPACING * 0.14) ** 2);
    if (safe && land.neighborhoodOf[spot.cell] === land.neighborhoodOf[start]) return spot;
    if (attempt > 40) return { ...spot, cell: start, x: cellX(start), y: cellY(start) };
  }
}

function snapToStreet(land: Land, cell: number, x: number, y: number, random: Random): Spot {
  const place = land.neighborhoods[land.neighborhoodOf[cell] ?? 0];
  const turn = ((place?.index ?? 0) * 0.61803) % (Math.PI / 2);
  const axis = random.chance(0.38) ? 1 : 0;
  const angle = turn + axis * (Math.PI / 2);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const rx = x - (place?.x ?? 0);
  const ry = y - (place?.y ?? 0);
  const along = rx * cos + ry * sin;
  const line = Math.round((-rx * sin + ry * cos) / BLOCK);
  const evenSide = random.chance(0.5);
  const across = line * BLOCK + (evenSide ? SETBACK : -SETBACK);
  const px = (place?.x ?? 0) + along * cos - across * sin;
  const py = (place?.y ?? 0) + along * sin + across * cos;
  return { cell: cellAt(px, py), x: px, y: py, axis, line, along: along + ZERO, evenSide };
}

function nameSpot(land: Land, neighborhood: number, spot: Spot, taken: Set<string>): Address {
  const seed = hashText(`${neighborhood}/${spot.axis}`);
  const streetName = streets.names[(seed + (spot.line + 500) * 31) % streets.names.length] ?? 'Main';
  const suffixes = spot.axis === 0 ? streets.along : streets.across;
  const streetSuffix = suffixes[(seed + (spot.line + 500) * 7) % suffixes.length] ?? 'Street';
  let streetNumber = 2 * Math.max(1, Math.round(spot.along / 0.008)) + (spot.evenSide ? 0 : 1);
  while (taken.has(`${neighborhood}/${streetName}/${streetNumber}`)) streetNumber += 2;
  taken.add(`${neighborhood}/${streetName}/${streetNumber}`);
  const [longitude, latitude] = toDegrees(spot.x, spot.y);
  const postal = land.postalOf[spot.cell] ?? 0;
  return {
    neighborhood,
    postal,
    streetNumber,
    streetName,
    streetSuffix,
    longitude,
    latitude,
    shore: neighboursOf(land, spot.cell).wet > 0,
  };
}
