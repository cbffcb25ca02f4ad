// Questions about closed listings, and about listings of several statuses, against those of a former release, one by one and in turns.

import { kindCalled } from '../million/compared.ts';
import { SEED } from '../million/load.ts';
import { questions } from '../million/questions.ts';
import { ratio } from '../oauth/load.ts';
import { median } from '../statistics.ts';
import type { Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { openService, type Service } from './service.ts';
import { openSides, type Releases } from './sides.ts';

const KINDS = [
  'area',
  'area, cheapest first',
  'state, by days on market',
  'everywhere, newest',
  'box of 2 to 20 km',
  'circle, nearest first',
  'polygon of 16 corners',
  'two words of the description',
  'facets of an area',
];
const STATUSES = ['CLOSED', 'ACTIVE,CLOSED'];
/** Of each kind and statuses, each asked once of both sides. */
const QUESTIONS = 40;
/** Asked first, and not measured. */
const WARM = 5;
const MAX_RATIO = 1.5;

export async function closedAgainstRelease(testbed: Testbed, releases: Releases): Promise<Row[]> {
  const sides = await openSides(releases);
  try {
    const ours = await openService(testbed, sides.ours, 'closed');
    const theirs = await openService(testbed, sides.theirs, 'closed');
    const rows: Row[] = [];
    for (const kind of KINDS)
      for (const statuses of STATUSES) rows.push(await compare(ours, theirs, kind, statuses));
    await Promise.all([ours.close(), theirs.close()]);
    return rows;
  } finally {
    await sides.close();
  }
}

async function compare(ours: Service, theirs: Service, kind: string, statuses: string): Promise<Row> {
  // The former release estimates where it is not asked for an exact count.
  const paths = questions(kindCalled(kind), ours.known, SEED, WARM + QUESTIONS).map(
    (path) => `${path}&status=${statuses}&count=exact`,
  );
  const [own, former]: [number[], number[]] = [[], []];
  const refused = { own: 0, former: 0 };
  for (const [at, path] of paths.entries()) {
    const times = new Map<Service, number | null>();
    for (const side of at % 2 === 0 ? [ours, theirs] : [theirs, ours]) times.set(side, await side.time(path));
    const [mine = null, their = null] = [times.get(ours), times.get(theirs)];
    if (mine === null) refused.own++;
    if (their === null) refused.former++;
    if (at < WARM || mine === null || their === null) continue;
    own.push(mine);
    former.push(their);
  }
  const ratios = own.map((time, at) => time / (former[at] ?? time));
  const figure = `${median(own).toFixed(1)} and ${median(former).toFixed(1)} ms: ${ratio(ratios)}`;
  const unanswered =
    refused.own + refused.former === 0 ? '' : `; not answered: ${refused.own} and ${refused.former}`;
  return {
    name: `closed: ${kind}, ${statuses}`,
    figure: figure + unanswered,

    floor: `<= ${MAX_RATIO.toFixed(2)}`,
    met: median(ratios) <= MAX_RATIO && refused.own <= refused.former,
  };
}
