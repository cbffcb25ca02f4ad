// Placement: which areas contain a listing, by its point where an area has a boundary, else by its address.

import type Flatbush from 'flatbush';
import { sameMeridian } from '../geometry/antimeridian.ts';
import {
  type Boundary,
  boxOf,
  type FlatPolygon,
  flattened,
  indexBoxes,
  type Point,
  polygonContains,
  polygonsOf,
} from '../geometry/geometry.ts';
import { pointInside } from '../geometry/point-inside.ts';
import { type DraftAddress, type DraftLocation, isGuessed } from '../listings/draft.ts';
import { DEFAULT_TIME_ZONE } from '../listings/local-time.ts';
import type { AreaType } from '../listings/vocabulary.ts';
import { plainLetters, tokenize } from '../text/tokenize.ts';

/** The facts of an area that placement needs. */
export interface PlacedArea {
  readonly no: number;
  readonly type: AreaType;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly codes: Readonly<Record<string, string>>;
  readonly parentNos: readonly number[];
  readonly areaKm2: number | null;
  readonly boundary: Boundary | null;
  /** Null: that of its ancestors. */
  readonly timeZone: string | null;
}

/** A location as it is stored. */
export type PlacedPoint = Point & Partial<Pick<DraftLocation, 'precision' | 'source'>>;

/** A point in an area of this type. */
export interface AreaMiddle extends Point {
  readonly type: AreaType;
}

/** Areas in whose middle a home may be shown, and areas that hold all of a town. */
const NAMED_TYPES: ReadonlySet<AreaType> = new Set(['neighborhood', 'postal_code', 'city']);
const LARGE: ReadonlySet<AreaType> = new Set(['county', 'metro', 'state', 'country']);

/** Assumed square kilometres of an area without a boundary, to sort small areas before large ones. */
const TYPICAL_SIZE: Readonly<Record<AreaType, number>> = {
  neighborhood: 3,
  postal_code: 20,
  borough: 40,
  city: 100,
  school_district: 150,
  custom: 200,
  county: 2_500,
  metro: 15_000,
  state: 150_000,
  country: 5_000_000,
};

/** The part of an address that names an area of each type. */
const ADDRESS_PART: Partial<Readonly<Record<AreaType, keyof DraftAddress>>> = {
  neighborhood: 'neighborhood',
  postal_code: 'postalCode',
  city: 'city',
  county: 'county',
  state: 'state',
  country: 'country',
};

/** Names of one place in one form: accents, punctuation and abbreviations, and what is left out as often as written. */
function folded(text: string, type: AreaType): string {
  const words = tokenize(text).map(plainLetters).join(' ');
  if (type === 'county') return words.replace(/ (?:county|parish|borough|census area|municipality)$/, '');
  return type === 'postal_code' ? words.replace(/^(\d{5}) \d{4}$/, '$1').replaceAll(' ', '') : words;
}

export class Placement {
  readonly #areas = new Map<number, PlacedArea>();
  /** The names of each area, folded. */
  readonly #names = new Map<PlacedArea, ReadonlySet<string>>();
  /** Every polygon of every boundary, in the order of the index. */
  readonly #polygons: { readonly area: PlacedArea; readonly polygon: FlatPolygon }[] = [];
  readonly #byAddress = new Map<string, PlacedArea[]>();
  readonly #index: Flatbush | null;
  readonly #middles = new Map<PlacedArea, Point>();

  constructor(areas: readonly PlacedArea[]) {
    for (const area of areas) {
      this.#areas.set(area.no, area);
      this.#addNames(area);
      if (!area.boundary) continue;
      for (const rings of polygonsOf(area.boundary)) this.#polygons.push({ area, polygon: flattened(rings) });
    }
    const boxes = this.#polygons.map(({ polygon: [shell = new Float64Array()] }) => boxOf(shell));
    this.#index = indexBoxes(boxes);
  }

  #addNames(area: PlacedArea): void {
    const names = namesOf(area);
    this.#names.set(area, names);
    for (const name of names) {
      const key = `${area.type}|${name}`;
      this.#byAddress.set(key, [...(this.#byAddress.get(key) ?? []), area]);
    }
  }

  /**
   * Numbers of the areas that contain the listing, smallest first. Without a place the address alone decides. A location that was
   * found by the name of a town or a postal code lies in the counties and larger areas around it; in which smaller areas, only the
   * address says.
   */
  place(location: PlacedPoint | null, address: DraftAddress): number[] {
    const containing = new Map<number, PlacedArea>();
    const isNamed = location === null || isGuessed(location);
    for (const area of location === null ? [] : this.#around(location))
      if (!isNamed || LARGE.has(area.type)) containing.set(area.no, area);
    for (const area of this.#named(address)) {
      if (!area.boundary && this.#fits(area, containing, address)) containing.set(area.no, area);
    }
    if (isNamed) for (const area of this.#bounded(containing, address)) containing.set(area.no, area);
    // An area without a boundary contains what its children contain.
    for (const area of [...containing.values()]) {
      for (const parent of this.#parentsFor(area, address))
        if (!parent.boundary) containing.set(parent.no, parent);
    }
    return [...containing.values()].sort((a, b) => size(a) - size(b) || a.no - b.no).map((area) => area.no);
  }

  /** A point in the smallest area with a boundary that the address names: its neighbourhood, postal code or city. */
  middle(address: DraftAddress): AreaMiddle | null {
    const named = [...this.#named(address)].filter(
      ({ boundary, type }) => boundary !== null && NAMED_TYPES.has(type),
    );
    for (const areas of Map.groupBy(
      named.sort((a, b) => size(a) - size(b)),
      ({ type }) => type,
    ).values()) {
      const fitting = this.#mostCertain(
        areas.filter((area) => this.#fits(area, new Map(), address)),
        address,
      );
      const [area] = fitting;
      if (area !== undefined && fitting.length === 1 && this.#isSure(area, address))
        return { ...this.#middleOf(area), type: area.type };
    }
    return null;
  }

  /** A neighbourhood of the same name may be of another city: one without ancestors must lie in what else the address names. */
  #isSure(area: PlacedArea, address: DraftAddress): boolean {
    if (area.type !== 'neighborhood') return true;
    if (this.#ancestors(area).some((parent) => this.#isCalled(parent, address) === true)) return true;
    const around = this.#around(this.#middleOf(area));
    return around.some((other) => other !== area && this.#isCalled(other, address) === true);
  }

  #middleOf(area: PlacedArea): Point {
    const known = this.#middles.get(area);
    if (known !== undefined) return known;
    const point = area.boundary === null ? { lat: 0, lng: 0 } : pointInside(area.boundary);
    this.#middles.set(area, point);
    return point;
  }

  /** The time zone of the smallest of these areas that has one, or whose ancestors have one. */
  timeZone(areaNos: readonly number[]): string {
    for (const no of areaNos) {
      const area = this.#areas.get(no);
      const own = area && [area, ...this.#ancestors(area)].find(({ timeZone }) => timeZone !== null);
      if (own?.timeZone) return own.timeZone;
    }
    return DEFAULT_TIME_ZONE;
  }

  #around(point: Point): PlacedArea[] {
    const { lat } = point;
    return sameMeridian(point.lng).flatMap((lng) => {
      const found = this.#index?.search(lng, lat, lng, lat) ?? [];
      return found.flatMap((position) => {
        const entry = this.#polygons[position];
        return entry && polygonContains(entry.polygon, { lng, lat }) ? [entry.area] : [];
      });
    });
  }

  *#named(address: DraftAddress): Iterable<PlacedArea> {
    if (this.#byAddress.size === 0) return;
    for (const [type, part] of Object.entries(ADDRESS_PART)) {
      const text = address[part];
      if (text) yield* this.#byAddress.get(`${type}|${folded(text, type as AreaType)}`) ?? [];
    }
  }

  /** The areas with a boundary in which the address lies by its names, with those that they lie in. */
  *#bounded(containing: ReadonlyMap<number, PlacedArea>, address: DraftAddress): Iterable<PlacedArea> {
    const named = [...this.#named(address)].filter(
      (area) => area.boundary && this.#fits(area, containing, address),
    );
    for (const areas of Map.groupBy(named, ({ type }) => type).values()) {
      for (const area of this.#mostCertain(areas, address)) {
        yield area;
        const around = Map.groupBy(this.#parentsFor(area, address), ({ type }) => type);
        // Of several cities with one postal code the address names none: it lies in one of them.
        for (const parents of around.values())
          if (parents.length === 1) for (const parent of parents) if (parent.boundary) yield parent;
      }
    }
  }

  /** Of areas that share a name, those of whose ancestors the address names the most; none where it distinguishes no two. */
  #mostCertain(areas: readonly PlacedArea[], address: DraftAddress): readonly PlacedArea[] {
    if (areas.length < 2) return areas;
    const certainty = (area: PlacedArea): number =>
      this.#ancestors(area).filter((parent) => this.#isCalled(parent, address) === true).length;
    const most = Math.max(...areas.map(certainty));
    return most === 0 ? [] : areas.filter((area) => certainty(area) === most);
  }

  /**
   * A name alone is not enough (every state has a Springfield): the area's ancestors must fit too. Of several ancestors
   * of one type, such as two cities that share a postal code, one is enough.
   */
  #fits(area: PlacedArea, containing: ReadonlyMap<number, PlacedArea>, address: DraftAddress): boolean {
    const around = Map.groupBy(this.#ancestors(area), ({ type }) => type);
    return [...around.values()].every((parents) =>
      parents.some((parent) => containing.has(parent.no) || this.#isCalled(parent, address) !== false),
    );
  }

  /** The ancestors; of several of one type those that the address names, if it names any. */
  #parentsFor(area: PlacedArea, address: DraftAddress): PlacedArea[] {
    const around = Map.groupBy(this.#ancestors(area), ({ type }) => type);
    return [...around.values()].flatMap((parents) => {
      const called = parents.filter((parent) => this.#isCalled(parent, address) === true);
      return called.length > 0 ? called : parents;
    });
  }

  /** Whether the address names the area; null if it names no area of that type. */
  #isCalled(area: PlacedArea, address: DraftAddress): boolean | null {
    const part = ADDRESS_PART[area.type];
    const text = part ? address[part] : null;
    return text ? (this.#names.get(area)?.has(folded(text, area.type)) ?? false) : null;
  }

  /** The parents, their parents and so on, each once. */
  #ancestors(area: PlacedArea): PlacedArea[] {
    const found = new Set<PlacedArea>();
    const visit = (child: PlacedArea): void => {
      for (const no of child.parentNos) {
        const parent = this.#areas.get(no);
        if (!parent || parent === area || found.has(parent)) continue;
        found.add(parent);
        visit(parent);
      }
    };
    visit(area);
    return [...found];
  }
}

/** Name, aliases and codes; of a code such as US-OR its last part too. */
function namesOf({ name, aliases, codes, type }: PlacedArea): Set<string> {
  const all = Object.values(codes).flatMap((code) => [code, code.split('-').at(-1) ?? code]);
  return new Set([name, ...aliases, ...all].map((text) => folded(text, type)));
}

const size = (area: PlacedArea): number => area.areaKm2 ?? TYPICAL_SIZE[area.type];
