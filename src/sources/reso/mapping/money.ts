// Prices and recurring costs, converted to months.

import { roundTo } from '../../../lib/round.ts';
import type { PriceFrequency } from '../../../listings/vocabulary.ts';
import type { FieldReader } from './decode.ts';
import { spelled } from './enumerations.ts';

/** Payments a year; a fee paid once has no monthly share. Bi-monthly is every two months, semi-monthly twice a month. */
const paymentsPerYear = spelled<number>({
  Annually: 1,
  'Semi-Annually': 2,
  Quarterly: 4,
  'Bi-Monthly': 6,
  Monthly: 12,
  'Semi-Monthly': 24,
  'Bi-Weekly': 26,
  Weekly: 52,
  Daily: 365,
});

const rentFrequency = spelled<PriceFrequency>({
  Daily: 'DAILY',
  Weekly: 'WEEKLY',
  Monthly: 'MONTHLY',
  Quarterly: 'QUARTERLY',
  Annually: 'ANNUALLY',
  'One Time': 'ONE_TIME',
  Seasonal: 'ONE_TIME',
});

export interface Rate {
  readonly frequency: PriceFrequency;
  /** What a price as stated is multiplied by to be per `frequency`. */
  readonly factor: number;
}

/** How often the price is paid. Rent is monthly unless stated; frequencies without a name of ours become monthly. */
export function rate(record: FieldReader, rental: boolean): Rate {
  if (!rental) return { frequency: 'ONE_TIME', factor: 1 };
  const stated = record.text('LeaseAmountFrequency');
  const named = rentFrequency(stated);
  if (named !== undefined) return { frequency: named, factor: 1 };
  const payments = paymentsPerYear(stated);
  if (stated !== null && payments === undefined) record.unreadable('LeaseAmountFrequency');
  return { frequency: 'MONTHLY', factor: (payments ?? 12) / 12 };
}

/** A price field per `rate.frequency`, in major units. */
export function price(record: FieldReader, field: string, { factor }: Rate): number | null {
  const stated = record.price(field);
  return stated === null || factor === 1 ? stated : roundTo(stated * factor, 2);
}

function feePerMonth(record: FieldReader, field: string, frequencyField: string): number | null {
  const amount = record.amount(field);
  if (amount === 0) return 0;
  const stated = record.text(frequencyField);
  const payments = paymentsPerYear(stated);
  return amount === null || payments === undefined ? null : (amount * payments) / 12;
}

/** Both association fees per month; null unless the first states how often it is paid. */
export function associationFee(record: FieldReader): number | null {
  const first = feePerMonth(record, 'AssociationFee', 'AssociationFeeFrequency');
  if (first === null) return null;
  return roundTo(first + (feePerMonth(record, 'AssociationFee2', 'AssociationFee2Frequency') ?? 0), 2);
}

/** A twelfth of the annual tax. */
export function monthlyTax(record: FieldReader): number | null {
  const annual = record.amount('TaxAnnualAmount');
  return annual === null ? null : roundTo(annual / 12, 2);
}
