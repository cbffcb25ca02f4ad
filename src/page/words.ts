// Amounts and enumerations as people read them.

/** An amount in its currency, such as `$759,900`, `€1,250.50` or `CHF 900`; without a currency the number alone. */
export function moneyWords(amount: number, currency: string | null | undefined): string {
  if (currency === null || currency === undefined || !/^[A-Za-z]{3}$/.test(currency))
    return amount.toLocaleString('en-US');
  const style = { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' } as const;
  return amount.toLocaleString('en-US', style).replaceAll(NO_BREAK_SPACE, ' ');
}

const NO_BREAK_SPACE = '\u00a0';

/** Values that are written in another way than their words alone. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ONE_TIME: 'One-time',
  COOP: 'Co-op',
  MULTI_FAMILY: 'Multi-family',
  SINGLE_FAMILY: 'Single-family',
  HOLD: 'On hold',
};

/** A value of an enumeration: `ACTIVE_UNDER_CONTRACT` as `Active under contract`. */
export function enumWords(value: string): string {
  const words = SPELLINGS[value] ?? value.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const FREQUENCIES: Readonly<Record<string, string>> = {
  DAILY: 'a day',
  WEEKLY: 'a week',
  MONTHLY: 'a month',
  QUARTERLY: 'a quarter',
  ANNUALLY: 'a year',
};

/** A price with what it pays for, such as `$2,000 a month`; a price that is paid once has nothing more to say. */
export function priceWords({
  price,
  currency,
  priceFrequency,
}: {
  readonly price: number;
  readonly currency?: string | null;
  readonly priceFrequency?: string | null;
}): string {
  const amount = moneyWords(price, currency);
  if (priceFrequency === null || priceFrequency === undefined || priceFrequency === 'ONE_TIME') return amount;
  return `${amount} ${FREQUENCIES[priceFrequency] ?? enumWords(priceFrequency).toLowerCase()}`;
}
