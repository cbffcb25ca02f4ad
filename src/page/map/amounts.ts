// Amounts and counts as they stand on a map: as short as they can be, counts always exact.

const formats = new Map<string, Intl.NumberFormat>();

/** `$670k`, `$1.25m`, `$2,295`; without a currency the number alone. */
export function shortAmount(amount: number, currency: string | null): string {
  const isShort = Math.abs(amount) < 10_000;
  const code = currency !== null && /^[A-Za-z]{3}$/.test(currency) ? currency.toUpperCase() : null;
  const key = `${code} ${isShort}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', {
      ...(code === null ? {} : { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' }),
      ...(isShort
        ? { maximumFractionDigits: 0 }
        : { notation: 'compact', minimumFractionDigits: 0, maximumSignificantDigits: 3 }),
    });
    formats.set(key, format);
  }
  return format
    .format(amount)
    .replace('K', 'k')
    .replace('M', 'm')
    .replace(/\u00a0/g, ' ');
}

export const countText = (count: number): string => count.toLocaleString('en-US');
