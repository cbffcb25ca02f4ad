// Drawing of a photo: scene, light and caption put together.
import { isShown } from '../fields/identity.ts';
import { streetLine } from '../fields/place.ts';
import type { Neighborhood } from '../land/land.ts';
import type { Listing } from '../market/listing.ts';
import { Random } from '../random.ts';
import { drawFront, drawStreet } from './exterior.ts';
import { drawRoom } from './interior.ts';
import { INK, PAPER, QUIET, seasonOf } from './palette.ts';
import { drawPlan } from './plan.ts';
import { drawGarden, drawLot, drawView } from './scenery.ts';
import { type Scene, sceneOf } from './scenes.ts';
import type { Surroundings } from './setting.ts';
import { escapeText, rect } from './svg.ts';

const HALF_YEAR = 182 * 86_400_000;

/** An SVG of the listing's photo; `width` overrides its drawn width, px. */
export function drawPhoto(
  listing: Listing,
  index: number,
  place: Neighborhood | undefined,
  width: number | null,
): string {
  const scene = sceneOf(listing, index);
  const shown = width ?? scene.width;
  const height = Math.round((shown * scene.height) / scene.width);
  const font = 'font-family="ui-sans-serif,system-ui,sans-serif"';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${shown}" height="${height}" viewBox="0 0 ${scene.width} ${scene.height}" ${font}>`,
    `<title>${escapeText(scene.caption)}</title>`,
    drawScene(listing, index, scene, place),
    drawCaption(listing, index, scene),
    '</svg>',
  ].join('');
}

function drawScene(listing: Listing, index: number, scene: Scene, place: Neighborhood | undefined): string {
  const { home } = listing;
  // The home looks the same in all its listings; light and season belong to the day of the photo.
  const own = Random.of(
    'home',
    home.seed,
    scene.subject === 'front' || scene.subject === 'street' ? 0 : index,
  );
  const light = Random.of(listing.key, index);
  const around: Surroundings = {
    season: seasonOf(new Date(listing.enteredAt - (light.chance(0.1) ? HALF_YEAR : 0)).getUTCMonth()),
    urban: place?.urban ?? 0,
    shore: home.address.shore,
    evening: light.chance(0.14),
  };
  switch (scene.subject) {
    case 'front':
      return drawFront(home, around, own, light);
    case 'street':
      return drawStreet(home, around, own, light);
    case 'plan':
      return drawPlan(home, own);
    case 'lot':
      return drawLot(around, own);
    case 'garden':
      return drawGarden(around, own);
    case 'view':
      return drawView(around, own);
    default:
      return drawRoom(scene.subject, around, own);
  }
}

/** Narrower than this, in pixels as shown, the caption would be too small to read: pages show the same words beside the photo. */
const CAPTION = '<style>@media (max-width:599px){.c{display:none}}</style>';

/** Number and street, small; no street where the seller wants the address kept back. */
function drawCaption(listing: Listing, index: number, scene: Scene): string {
  const street = isShown(listing, 2, 0.02) === false ? '' : ` · ${streetLine(listing)}`;
  const text = escapeText(`${index + 1}/${listing.photos} ${scene.caption}${street}`);
  if (scene.subject === 'plan') return `<text x="90" y="858" font-size="22" fill="${QUIET}">${text}</text>`;
  const plate = rect(24, scene.height - 62, 28 + text.length * 11.5, 38, PAPER, 'opacity=".82" rx="6"');
  return `${CAPTION}<g class="c">${plate}<text x="38" y="${scene.height - 36}" font-size="21" fill="${INK}">${text}</text></g>`;
}
