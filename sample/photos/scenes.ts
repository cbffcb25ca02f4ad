// Scenes: what each photo of a listing shows.
import { isDwelling } from '../market/home.ts';
import type { Listing } from '../market/listing.ts';

export type Subject =
  | 'front'
  | 'street'
  | 'living'
  | 'kitchen'
  | 'bedroom'
  | 'bath'
  | 'dining'
  | 'garden'
  | 'view'
  | 'plan'
  | 'lot'
  | 'hall';

export interface Scene {
  readonly subject: Subject;
  readonly caption: string;
  /** RESO MediaCategory in display spelling. */
  readonly category: 'Photo' | 'Floor Plan';
  readonly width: number;
  readonly height: number;
}

const CAPTIONS: Readonly<Record<Subject, string>> = {
  front: 'Front',
  street: 'From the street',
  living: 'Living room',
  kitchen: 'Kitchen',
  bedroom: 'Bedroom',
  bath: 'Bathroom',
  dining: 'Dining room',
  garden: 'Garden',
  view: 'View',
  plan: 'Floor plan',
  lot: 'The lot',
  hall: 'Inside',
};

const INDOORS: readonly Subject[] = [
  'living',
  'kitchen',
  'bedroom',
  'bath',
  'dining',
  'bedroom',
  'garden',
  'view',
  'street',
];
const BUSINESS: readonly Subject[] = ['hall', 'street', 'view', 'hall', 'bath'];
const GROUND: readonly Subject[] = ['view', 'lot', 'street'];

/** Photo 0 shows the outside; most dwellings with five photos or more have a floor plan. */
export function sceneOf(listing: Listing, index: number): Scene {
  const subject = subjectOf(listing, index);
  const plan = subject === 'plan';
  return {
    subject,
    caption: CAPTIONS[subject],
    category: plan ? 'Floor Plan' : 'Photo',
    width: plan ? 900 : 1200,
    height: plan ? 900 : 800,
  };
}

function subjectOf(listing: Listing, index: number): Subject {
  const { kind } = listing.home;
  if (kind === 'land') return index === 0 ? 'lot' : (GROUND[(index - 1) % GROUND.length] ?? 'view');
  if (index === 0) return 'front';
  const dwelling = isDwelling(kind);
  if (dwelling && index === 4 && listing.seed % 4 !== 0) return 'plan';
  const subjects = dwelling ? INDOORS : BUSINESS;
  return subjects[(index - 1) % subjects.length] ?? 'view';
}
