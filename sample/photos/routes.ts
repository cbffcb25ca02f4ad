// Routes of /photos: find the listing and the picture, and say how long it may be cached.
import type { Answer } from '../answer.ts';
import { ODataError } from '../odata/problem.ts';
import type { SampleView } from '../odata/routes.ts';
import { drawPhoto } from './draw.ts';

const PATH = /^\/photos\/([\w-]{1,40})\/(\d{1,2}|tour)\.svg$/;
const WIDEST = 4000;

export function answerPhoto(target: URL, { world }: SampleView): Answer {
  const [, key = '', which = ''] = PATH.exec(target.pathname) ?? [];
  const listing = world.market.find(key);
  const index = which === 'tour' ? 0 : Number(which);
  if (!listing || which === '' || index >= listing.photos)
    throw new ODataError(404, 'NotFound', 'There is no such photo');
  return {
    status: 200,
    headers: { 'Content-Type': 'image/svg+xml; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
    body: drawPhoto(
      listing,
      index,
      world.market.land.neighborhoods[listing.home.address.neighborhood],
      readWidth(target.searchParams.get('w')),
    ),
  };
}

function readWidth(value: string | null): number | null {
  if (value === null) return null;
  const width = Number(value);
  if (!/^\d{1,4}$/.test(value) || width < 1 || width > WIDEST)
    throw new ODataError(400, 'BadRequest', `w must be a width from 1 to ${WIDEST}`);
  return width;
}
