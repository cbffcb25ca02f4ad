// Owns the parameters that only rentals or only sales have.

import { Type } from 'typebox';
import {
  amount,
  choice,
  day,
  list,
  moment,
  names,
  optional,
  whole,
  yesNo,
} from '../../http/input/parameter-kinds.ts';

export const rentalParameters = {
  availableFrom: day('To move in on this day or later', 'dateAvailableFrom'),
  availableBy: day('To move in by this day'),
  leaseTermMonths: optional(
    list(Type.Integer({ minimum: 0, maximum: 1_200 }), {
      description: 'Lease of exactly these numbers of months.',
    }),
  ),
  minLeaseTermMonths: whole('Lease of at least this many months.', 1_200),
  furnished: names('How it is furnished: `Furnished`, `Partially`, `Unfurnished`, `Negotiable`'),
  pets: names('Pets of which any is welcome: `cats`, `dogs`'),
  noFee: yesNo('Without a broker’s fee, or known to have one.'),
  rentControl: yesNo('Known to be under rent control, or known not to be.'),
  utilitiesIncluded: names('Utilities of which any is in the rent: `water`, `internet`'),
  maxMoveInCost: amount('All costs of moving in together at most; where one of them is unknown, not met.'),
  hasConcession: yesNo('With, or without, months free.'),
  maxNetEffectivePrice: amount('Rent per month at most, with months free taken into account.'),
};

export const saleParameters = {
  saleCondition: names('Special conditions as RESO writes them, any of these', 'specialListingConditions'),
  maxMonthlyCost: amount('Association fee and tax together, per month, at most.'),
  maxAssociationFee: amount('Association fee per month at most.'),
  maxTax: amount('Tax per month at most.'),
  minClosePrice: amount('Closed at this price or more.', 'minSoldPrice'),
  maxClosePrice: amount('Closed at this price or less.', 'maxSoldPrice'),
  closedSince: moment('Closed at or after'),
  closedBefore: moment('Closed before'),
  underContract: choice(['exclude'], 'Leaves out what is under contract or pending.'),
};
