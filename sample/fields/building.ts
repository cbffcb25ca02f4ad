// Fields that describe the building: rooms, measures, age and equipment.
import { isCommercial, isDwelling, isInBuilding } from '../market/home.ts';
import type { Listing } from '../market/listing.ts';
import {
  choice,
  choices,
  decimal,
  type Field,
  type FieldValue,
  fate,
  fated,
  flag,
  text,
  whole,
} from './field.ts';

/** The value, except where the agent left the field empty. */
function mostly(listing: Listing, question: number, missing: number, value: FieldValue): FieldValue {
  return fate(listing.home.seed, question) < missing ? null : value;
}

function roomsTotal(listing: Listing): number | null {
  const { bedrooms, area } = listing.home;
  return bedrooms === null ? null : bedrooms + 2 + ((area ?? 0) > 1800 ? 2 : (area ?? 0) > 1100 ? 1 : 0);
}

function bathsTotal(listing: Listing): number | null {
  const { bathsFull, bathsHalf } = listing.home;
  return bathsFull === null ? null : bathsFull + (bathsHalf ?? 0);
}

/** How well equipped a home is, 0 to 1: newer and dearer ones are. */
function comfort(listing: Listing): number {
  const { home } = listing;
  const modern = home.yearBuilt === null ? 0 : Math.max(0, Math.min(1, (home.yearBuilt - 1940) / 80));
  return Math.min(1, 0.25 * fate(home.seed, 20) + 0.4 * modern + 0.5 * (home.building?.service ?? 0.45));
}

function appliances(listing: Listing): readonly string[] {
  if (!isDwelling(listing.home.kind)) return [];
  const ease = comfort(listing);
  return fated(listing.home.seed, 21, {
    Refrigerator: 0.95,
    Range: 0.55,
    'Gas Range': 0.25,
    Oven: 0.5,
    Dishwasher: 0.3 + 0.65 * ease,
    Microwave: 0.3 + 0.4 * ease,
    Disposal: 0.3 + 0.3 * ease,
    Washer: 0.15 + 0.6 * ease,
    Dryer: 0.15 + 0.6 * ease,
    'Induction Cooktop': 0.1 * ease,
    'Stainless Steel Appliance(s)': 0.5 * ease,
    'Wine Refrigerator': 0.1 * ease,
  });
}

function laundry(listing: Listing): readonly string[] {
  const { home } = listing;
  if (!isDwelling(home.kind)) return [];
  const own = fate(home.seed, 22) < 0.25 + 0.65 * comfort(listing);
  if (own) return home.building ? ['In Unit'] : ['Laundry Room'];
  return home.building ? ['Common Area'] : ['In Basement'];
}

function cooling(listing: Listing): readonly string[] {
  const luck = fate(listing.home.seed, 23);
  if (listing.home.yearBuilt === null) return [];
  const ease = comfort(listing);
  if (luck < ease * 0.7) return ['Central Air'];
  if (luck < 0.6) return ['Ductless', 'Heat Pump'];
  return luck < 0.8 ? ['Window Unit(s)'] : ['None'];
}

const HEATING = [
  ['Forced Air', 'Natural Gas'],
  ['Heat Pump'],
  ['Radiant'],
  ['Baseboard', 'Electric'],
  ['Steam'],
];

function heating(listing: Listing): readonly string[] {
  if (listing.home.yearBuilt === null) return [];
  return HEATING[Math.floor(fate(listing.home.seed, 24) * HEATING.length)] ?? [];
}

function interior(listing: Listing): readonly string[] {
  const { home } = listing;
  if (!isDwelling(home.kind)) return [];
  const old = (home.yearBuilt ?? 2000) < 1940 ? 1 : 0;
  const ease = comfort(listing);
  return fated(home.seed, 25, {
    'High Ceilings': 0.15 + 0.3 * old,
    'Kitchen Island': 0.45 * ease,
    'Walk-In Closet(s)': 0.5 * ease,
    'Open Floorplan': 0.2 + 0.4 * ease,
    'Crown Molding': 0.4 * old,
    'Built-in Features': 0.12 + 0.25 * old,
    'Stone Counters': 0.5 * ease,
    'High Speed Internet': 0.5,
    'Smart Thermostat': 0.3 * ease,
    Pantry: 0.3,
    Storage: 0.3,
  });
}

/** What the building or the association offers to all who live there; the same for every home of a building. */
function amenities(listing: Listing): readonly string[] {
  const { building } = listing.home;
  if (!building)
    return listing.home.fee === null
      ? []
      : fated(listing.home.seed, 26, { Playground: 0.4, Pool: 0.25, 'Trail(s)': 0.4, Clubhouse: 0.2 });
  const service = building.service;
  return fated(building.index * 7919, 27, {
    'Elevator(s)': building.stories > 5 ? 1 : building.stories > 3 ? 0.6 : 0,
    Concierge: service > 0.6 ? 0.6 : 0.03,
    'Fitness Center': service,
    Pool: service * 0.45,
    'Roof Deck': service * 0.7,
    'Party Room': service * 0.4,
    'Coin Laundry': (1 - service) * 0.7,
    Storage: 0.4,
    'Dog Park': service * 0.2,
    Parking: 0.4,
  });
}

const VIEWS = ['City', 'Territorial', 'Trees/Woods', 'Mountain(s)', 'Neighborhood', 'Park/Greenbelt'];

function views(listing: Listing): readonly string[] {
  const { home } = listing;
  if (home.address.shore) return ['Water', 'Bay'];
  if (fate(home.seed, 28) > 0.3 && (home.floor ?? 0) < 8) return [];
  return [VIEWS[Math.floor(fate(home.seed, 29) * VIEWS.length)] ?? 'City'];
}

function parkingFeatures(listing: Listing): readonly string[] {
  const { home } = listing;
  if (home.kind === 'land') return [];
  if (home.garage > 0) return home.building ? ['Garage', 'Assigned'] : ['Attached', 'Garage Door Opener'];
  return fate(home.seed, 30) < 0.5 ? ['On Street'] : ['Driveway'];
}

const parkingTotal = (listing: Listing): number =>
  listing.home.garage + (listing.home.building || listing.home.kind === 'land' ? 0 : 1);
const isNew = (listing: Listing): boolean =>
  listing.home.yearBuilt !== null &&
  listing.home.yearBuilt >= new Date(listing.enteredAt).getUTCFullYear() - 1;

export const buildingFields: readonly Field[] = [
  whole('BedroomsTotal', (listing) => listing.home.bedrooms),
  whole('BathroomsFull', (listing) => listing.home.bathsFull),
  whole('BathroomsHalf', (listing) => mostly(listing, 31, 0.04, listing.home.bathsHalf)),
  whole('BathroomsTotalInteger', bathsTotal),
  whole('RoomsTotal', (listing) => mostly(listing, 32, 0.35, roomsTotal(listing))),
  decimal('LivingArea', (listing) =>
    mostly(listing, 33, 0.02, isCommercial(listing.home.kind) ? null : listing.home.area),
  ),
  choice('LivingAreaUnits', 'AreaUnits', (listing) =>
    listing.home.area === null || isCommercial(listing.home.kind) ? null : 'Square Feet',
  ),
  decimal('BuildingAreaTotal', (listing) => (isInBuilding(listing.home.kind) ? null : listing.home.area)),
  choice('BuildingAreaUnits', 'AreaUnits', (listing) =>
    isInBuilding(listing.home.kind) || listing.home.area === null ? null : 'Square Feet',
  ),
  decimal('LotSizeSquareFeet', (listing) =>
    mostly(listing, 34, 0.05, listing.home.lot === null ? null : Math.round(listing.home.lot)),
  ),
  decimal('LotSizeAcres', (listing) =>
    mostly(
      listing,
      34,
      0.05,
      listing.home.lot === null ? null : Math.round((listing.home.lot / 43_560) * 1000) / 1000,
    ),
  ),
  whole('YearBuilt', (listing) => mostly(listing, 35, 0.03, listing.home.yearBuilt)),
  whole('Stories', (listing) => mostly(listing, 36, 0.1, listing.home.stories)),
  whole('StoriesTotal', (listing) => listing.home.building?.stories ?? listing.home.stories),
  whole('EntryLevel', (listing) => listing.home.floor),
  whole('NumberOfUnitsTotal', (listing) => listing.home.units ?? listing.home.building?.units ?? null),
  text('BuildingName', (listing) => listing.home.building?.name ?? null),
  flag('NewConstructionYN', (listing) => mostly(listing, 37, 0.1, isNew(listing))),
  flag('GarageYN', (listing) => listing.home.garage > 0),
  whole('GarageSpaces', (listing) => (listing.home.garage > 0 ? listing.home.garage : null)),
  whole('ParkingTotal', (listing) => mostly(listing, 38, 0.12, parkingTotal(listing))),
  choices('ParkingFeatures', 'ParkingFeatures', parkingFeatures),
  flag('PoolPrivateYN', (listing) =>
    listing.home.building || listing.home.kind === 'land' ? null : listing.home.pool,
  ),
  choices('PoolFeatures', 'PoolFeatures', (listing) => (listing.home.pool ? ['In Ground', 'Private'] : [])),
  choices('WaterfrontFeatures', 'WaterfrontFeatures', (listing) =>
    listing.home.waterfront ? ['Waterfront'] : [],
  ),
  choices('View', 'View', views),
  choices('Appliances', 'Appliances', appliances),
  choices('LaundryFeatures', 'LaundryFeatures', laundry),
  choices('Cooling', 'Cooling', cooling),
  flag('CoolingYN', (listing) => (cooling(listing).length === 0 ? null : cooling(listing)[0] !== 'None')),
  choices('Heating', 'Heating', heating),
  choices('InteriorFeatures', 'InteriorOrRoomFeatures', interior),
  choices('AssociationAmenities', 'AssociationAmenities', amenities),
  flag('FireplaceYN', (listing) =>
    mostly(listing, 39, 0.2, isDwelling(listing.home.kind) && fate(listing.home.seed, 40) < 0.3),
  ),
];
