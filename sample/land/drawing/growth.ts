// Growth of areas: sites spread by density, then grow over the honeycomb until every cell is taken.
import { Random } from '../../random.ts';
import { cellAt, cellX, cellY, type Mesh, neighbour } from '../mesh.ts';
import { fractalNoise } from './noise.ts';

export interface Site {
  readonly x: number;
  readonly y: number;
}

/** Spreads `count` sites over the land, closer together where `density` (per cell) is high: weighted k-means. */
export function spreadSites(
  mesh: Mesh,
  count: number,
  density: (x: number, y: number) => number,
  seed: number,
): Site[] {
  const sample = mesh.landCells.filter((_, index) => index % 9 === 0);
  const points = sample.map((cell) => ({ x: cellX(cell), y: cellY(cell) }));
  const weights = points.map((point) => density(point.x, point.y));
  let sites: Site[] = firstSites(points, weights, count, new Random(seed));
  for (let round = 0; round < 6; round += 1) sites = centres(points, weights, sites);
  return sites;
}

function firstSites(
  points: readonly Site[],
  weights: readonly number[],
  count: number,
  random: Random,
): Site[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sites: Site[] = [];
  let next = random.unit();
  let passed = 0;
  points.forEach((point, index) => {
    passed += ((weights[index] ?? 0) / total) * count;
    while (sites.length < count && passed > sites.length + next) {
      sites.push({ x: point.x + random.normal() * 0.01, y: point.y });
      next = random.unit();
    }
  });
  while (sites.length < count) sites.push(random.pick(points));
  return sites;
}

function centres(points: readonly Site[], weights: readonly number[], sites: readonly Site[]): Site[] {
  const sums = sites.map(() => ({ x: 0, y: 0, weight: 0 }));
  points.forEach((point, index) => {
    const sum = sums[nearestSite(sites, point.x, point.y)];
    const weight = weights[index] ?? 0;
    if (!sum) return;
    sum.x += point.x * weight;
    sum.y += point.y * weight;
    sum.weight += weight;
  });
  return sites.map((site, index) => {
    const sum = sums[index];
    return sum && sum.weight > 0 ? { x: sum.x / sum.weight, y: sum.y / sum.weight } : site;
  });
}

export function nearestSite(sites: readonly Site[], x: number, y: number): number {
  let best = 0;
  let distance = Number.POSITIVE_INFINITY;
  for (let i = 0; i < sites.length; i += 1) {
    const site = sites[i];
    if (!site) continue;
    const d = (site.x - x) ** 2 + (site.y - y) ** 2;
    if (d < distance) {
      distance = d;
      best = i;
    }
  }
  return best;
}

/**
 * Grows every site over dry land at a pace that noise varies, so borders are irregular and each area hangs together.
 * Islands without a site go to the site that is nearest across the water. Returns one label per cell, -1 for water.
 */
export function growSites(mesh: Mesh, sites: readonly Site[], seed: number): Int16Array {
  const labels = new Int16Array(mesh.size).fill(-1);
  const cost = new Float64Array(mesh.size).fill(Number.POSITIVE_INFINITY);
  const queue = new CellQueue();
  sites.forEach((site, label) => {
    const cell = nearestLand(mesh, site);
    cost[cell] = 0;
    labels[cell] = label;
    queue.push(cell, 0);
  });
  for (let cell = queue.pop(); cell !== undefined; cell = queue.pop()) {
    for (let side = 0; side < 6; side += 1) {
      const next = neighbour(cell, side);
      if (mesh.land[next] !== 1) continue;
      const pace = Math.max(0.25, 1 + 1.7 * fractalNoise(cellX(next) / 1.4, cellY(next) / 1.4, seed, 2));
      const total = (cost[cell] ?? 0) + pace;
      if (total >= (cost[next] ?? 0)) continue;
      cost[next] = total;
      labels[next] = labels[cell] ?? -1;
      queue.push(next, total);
    }
  }
  for (const cell of mesh.landCells) {
    if (labels[cell] === -1) labels[cell] = nearestSite(sites, cellX(cell), cellY(cell));
  }
  return labels;
}

/** The land cell under the site, or the first one met going outwards from it. */
function nearestLand(mesh: Mesh, site: Site): number {
  const start = cellAt(site.x, site.y);
  const seen = new Set([start]);
  for (const cell of seen) {
    if (mesh.land[cell] === 1) return cell;
    for (let side = 0; side < 6; side += 1) seen.add(neighbour(cell, side));
  }
  throw new Error('A mesh without land');
}

/** A binary heap of cells, cheapest first. Outdated entries are harmless: they improve nothing. */
class CellQueue {
  readonly #cells: number[] = [];
  readonly #costs: number[] = [];

  push(cell: number, cost: number): void {
    let at = this.#cells.length;
    this.#cells.push(cell);
    this.#costs.push(cost);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#costs[parent] ?? 0) <= cost) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): number | undefined {
    const first = this.#cells[0];
    const lastCell = this.#cells.pop();
    const lastCost = this.#costs.pop();
    if (first === undefined || lastCell === undefined || lastCost === undefined) return undefined;
    if (this.#cells.length > 0) {
      this.#cells[0] = lastCell;
      this.#costs[0] = lastCost;
      this.#sink();
    }
    return first;
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if ((this.#costs[child] ?? Number.POSITIVE_INFINITY) < (this.#costs[least] ?? 0)) least = child;
      }
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const cell = this.#cells[a] ?? 0;
    const cost = this.#costs[a] ?? 0;
    this.#cells[a] = this.#cells[b] ?? 0;
    this.#costs[a] = this.#costs[b] ?? 0;
    this.#cells[b] = cell;
    this.#costs[b] = cost;
  }
}
