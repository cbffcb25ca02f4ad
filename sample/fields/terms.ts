// Fields of cost and contract: fees, taxes, lease terms, and who offers the listing.

import { agentOf } from '../market/agents.ts';
import { DAY } from '../market/calendar.ts';
import { isDwelling } from '../market/home.ts';
import type { Listing } from '../market/listing.ts';
import { remarksOf } from '../market/remarks.ts';
import { choice, choices, date, decimal, type Field, fate, fated, flag, text, whole } from './field.ts';

const isLease = (listing: Listing): boolean => listing.side === 'lease';
const isHomeLease = (listing: Listing): boolean => isLease(listing) && isDwelling(listing.home.kind);
const hasFee = (listing: Listing): boolean => listing.side === 'sale' && listing.home.fee !== null;
const feeFrequency = (listing: Listing): string =>
  listing.home.building || fate(listing.home.seed, 50) < 0.7
    ? 'Monthly'
    : fate(listing.home.seed, 51) < 0.5
      ? 'Quarterly'
      : 'Annually';
const FEE_MONTHS: Readonly<Record<string, number>> = { Monthly: 1, Quarterly: 3, Annually: 12 };

const LEASE_TERMS: Readonly<Record<string, number>> = {
  '12 Months': 0.7,
  '6 Months': 0.08,
  '24 Months': 0.05,
  'Month To Month': 0.1,
  'Short Term Lease': 0.04,
  Negotiable: 0.03,
};

function leaseTerm(listing: Listing): string | null {
  if (!isLease(listing)) return null;
  if (listing.weekly) return 'Weekly';
  let left = fate(listing.seed, 52);
  for (const [term, share] of Object.entries(LEASE_TERMS)) {
    left -= share;
    if (left < 0) return term;
  }
  return '12 Months';
}

function furnished(listing: Listing): string | null {
  if (!isHomeLease(listing)) return null;
  const luck = fate(listing.seed, 53);
  if (listing.weekly || luck < 0.07) return 'Furnished';
  if (luck < 0.1) return 'Partially';
  if (luck < 0.13) return 'Negotiable';
  return luck < 0.85 ? 'Unfurnished' : null;
}

function pets(listing: Listing): readonly string[] {
  if (!isHomeLease(listing)) return [];
  const luck = fate(listing.seed, 54);
  if (luck < 0.3) return ['No'];
  if (luck < 0.45) return ['Cats OK'];
  if (luck < 0.75) return ['Cats OK', 'Dogs OK'];
  if (luck < 0.85) return ['Yes', 'Size Limit'];
  return luck < 0.93 ? ['Call'] : [];
}

const rentIncludes = (listing: Listing): readonly string[] =>
  isHomeLease(listing)
    ? fated(listing.seed, 55, {
        Water: 0.5,
        'Trash Collection': 0.5,
        Sewer: 0.3,
        Gas: 0.15,
        Electricity: listing.weekly ? 0.9 : 0.08,
        Internet: listing.weekly ? 0.8 : 0.1,
      })
    : [];

/** The sample's region caps rents in houses of several homes that were built before 1979. */
function rentControl(listing: Listing): boolean | null {
  if (!isHomeLease(listing) || fate(listing.home.seed, 64) < 0.1) return null;
  return listing.home.building !== null && (listing.home.yearBuilt ?? 9999) < 1979;
}

const moveInCosts = (listing: Listing): readonly string[] =>
  isHomeLease(listing)
    ? fated(listing.seed, 56, {
        'First Month Rent': 0.8,
        'Last Month Rent': 0.25,
        'Security Deposit': 0.8,
        'Application Fee': 0.3,
      })
    : [];

function availableAt(listing: Listing): number | null {
  if (!isLease(listing) || fate(listing.seed, 57) < 0.08) return null;
  return (listing.onMarketAt ?? listing.enteredAt) + Math.floor(fate(listing.seed, 58) * 45) * DAY;
}

/** A yearly tax of about one per cent of what the assessor believes. */
function annualTax(listing: Listing): number | null {
  if (isLease(listing) || fate(listing.home.seed, 59) < 0.1) return null;
  return Math.round(listing.home.value * (0.0085 + 0.004 * fate(listing.home.seed, 60)));
}

function conditions(listing: Listing): readonly string[] {
  if (isLease(listing)) return [];
  const luck = fate(listing.seed, 61);
  if (luck < 0.012) return ['Short Sale'];
  if (luck < 0.03) return ['Real Estate Owned'];
  if (luck < 0.036) return ['Auction'];
  return luck < 0.05 ? ['Probate Listing'] : ['Standard'];
}

const hasTour = (listing: Listing): boolean => listing.photos > 0 && fate(listing.seed, 62) < 0.18;

export const termFields: readonly Field[] = [
  choice('LeaseAmountFrequency', 'FeeFrequency', (listing) =>
    isLease(listing) && (listing.weekly || fate(listing.seed, 63) < 0.93)
      ? listing.weekly
        ? 'Weekly'
        : 'Monthly'
      : null,
  ),
  date('AvailabilityDate', availableAt),
  choice('LeaseTerm', 'LeaseTerm', leaseTerm),
  choice('Furnished', 'Furnished', furnished),
  choices('PetsAllowed', 'PetsAllowed', pets),
  flag('RentControlYN', rentControl),
  choices('RentIncludes', 'RentIncludes', rentIncludes),
  choices('MoveInCosts', 'MoveInCosts', moveInCosts),
  flag('AssociationYN', (listing) => (isLease(listing) ? null : listing.home.fee !== null)),
  decimal('AssociationFee', (listing) =>
    hasFee(listing) ? (listing.home.fee ?? 0) * (FEE_MONTHS[feeFrequency(listing)] ?? 1) : null,
  ),
  choice('AssociationFeeFrequency', 'FeeFrequency', (listing) =>
    hasFee(listing) ? feeFrequency(listing) : null,
  ),
  decimal('TaxAnnualAmount', annualTax),
  decimal('TaxAssessedValue', (listing) =>
    annualTax(listing) === null ? null : Math.round((listing.home.value * 0.92) / 100) * 100,
  ),
  whole('TaxYear', (listing) =>
    annualTax(listing) === null ? null : new Date(listing.enteredAt).getUTCFullYear() - 1,
  ),
  choices('SpecialListingConditions', 'SpecialListingConditions', conditions),
  text('PublicRemarks', (listing, context) => remarksOf(listing, context)),
  text('VirtualTourURLUnbranded', (listing, { photosUrl }) =>
    hasTour(listing) ? `${photosUrl}/${listing.key}/tour.svg` : null,
  ),
  text('ListAgentKey', (listing) => agentOf(listing.agent).key),
  text('ListAgentFirstName', (listing) => agentOf(listing.agent).firstName),
  text('ListAgentLastName', (listing) => agentOf(listing.agent).lastName),
  text(
    'ListAgentFullName',
    (listing) => `${agentOf(listing.agent).firstName} ${agentOf(listing.agent).lastName}`,
  ),
  text('ListAgentEmail', (listing) => agentOf(listing.agent).email),
  text('ListAgentPreferredPhone', (listing) => agentOf(listing.agent).phone),
  text('ListOfficeKey', (listing) => agentOf(listing.agent).office.key),
  text('ListOfficeName', (listing) => agentOf(listing.agent).office.name),
  text('ListOfficePhone', (listing) => agentOf(listing.agent).office.phone),
  text('ListOfficeEmail', (listing) => agentOf(listing.agent).office.email),
];
