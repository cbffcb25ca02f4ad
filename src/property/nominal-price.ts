// Nominal prices: what deeds within a family or a company state is no evidence of value. Pure.

/** A closed sale, and what is known of its home. Areas in square feet. */
interface Sale {
  readonly closePrice: number;
  /** Asking price, or the close price where there is none. */
  readonly price: number | null;
  readonly livingArea: number | null;
}

/** In major units of any currency, per square foot. */
export const MIN_PRICE_PER_AREA = 1;
/** As the market's ratios of closing to asking prices: less is considered an error. */
export const MIN_SHARE_OF_ASKING = 0.5;
/** Of the median price around. */
const MIN_SHARE_OF_MEDIAN = 0.1;

/** Whether a price is nominal by itself, whatever homes around it are sold for. */
export function isNominal({ closePrice, price, livingArea }: Sale): boolean {
  if (livingArea !== null && closePrice < livingArea * MIN_PRICE_PER_AREA) return true;
  return price !== null && closePrice < price * MIN_SHARE_OF_ASKING;
}

/** The homes without those that were sold for less than a tenth of the median price of all, asking prices included. */
export function withoutNominal<H extends { readonly comparablePrice: number; readonly basis: string }>(
  homes: readonly H[],
): H[] {
  const prices = homes.map(({ comparablePrice }) => comparablePrice).sort((a, b) => a - b);
  const median = prices[Math.floor(prices.length / 2)] ?? 0;
  return homes.filter(
    ({ comparablePrice, basis }) => basis !== 'closed' || comparablePrice >= median * MIN_SHARE_OF_MEDIAN,
  );
}
