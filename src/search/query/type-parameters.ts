// Filters that only rentals or only sales have.

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
  availableFrom: day('Available on this day or later', 'dateAvailableFrom'),
  availableBy: day('Available by this day'),
  leaseTermMonths: optional(
    list(Type.Integer({ minimum: 0, maximum: 1_200 }), {
      description: 'Lease terms of exactly these numbers of months.',
    }),
  ),
  minLeaseTermMonths: whole('Minimum lease term in months.', 1_200),
  furnished: names('Furnishing: `Furnished`, `Partially`, `Unfurnished`, `Negotiable`'),
  pets: names('Allowed pets, any of these: `cats`, `dogs`'),
  noFee: yesNo('Whether there is no broker’s fee. Unknown matches neither.'),
  rentControl: yesNo('Whether it is under rent control. Unknown matches neither.'),
  utilitiesIncluded: names('Utilities included in the rent, any of these: `water`, `internet`'),
  maxMoveInCost: amount('Maximum total of move-in costs. A listing with an unknown cost does not match.'),
  hasConcession: yesNo('Whether it offers months free.'),
  maxNetEffectivePrice: amount('Maximum rent per month after months free.'),
};

export const saleParameters = {
  saleCondition: names('Special conditions in RESO’s spelling, any of these', 'specialListingConditions'),
  maxMonthlyCost: amount('Maximum of association fee and tax per month together.'),
  maxAssociationFee: amount('Maximum association fee per month.'),
  maxTax: amount('Maximum tax per month.'),
  minClosePrice: amount('Minimum closing price.', 'minSoldPrice'),
  maxClosePrice: amount('Maximum closing price.', 'maxSoldPrice'),
  closedSince: moment('Closed at or after this time'),
  closedBefore: moment('Closed before'),
  underContract: choice(['exclude'], 'Excludes listings that are under contract or pending.'),
};
