// Axis of months: which of them have a label, and what it says.

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Distances of labels in months; each begins at a January. */
const STEPS = [1, 3, 6, 12, 24, 60, 120] as const;

export interface MonthTick {
  /** Index of the month. */
  readonly at: number;
  /** Name of the month, or the year instead of January. */
  readonly label: string;
  /** Whether it also has a label where there is half the width. */
  readonly isMain: boolean;
}

/** Labels for consecutive months, as YYYY-MM or dates within them: at most `max`, and half of that on a narrow screen. */
export function monthTicks(months: readonly string[], max: number): readonly MonthTick[] {
  const step = stepFor(months, max);
  const wide = stepFor(months, Math.max(1, Math.floor(max / 2)));
  return months.flatMap((month, at) =>
    isLabelled(month, step) ? [{ at, label: shortMonth(month), isMain: isLabelled(month, wide) }] : [],
  );
}

function stepFor(months: readonly string[], max: number): number {
  const fits = (step: number) => months.filter((month) => isLabelled(month, step)).length <= max;
  return STEPS.find(fits) ?? 1_200;
}

function isLabelled(month: string, step: number): boolean {
  return (Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1) % step === 0;
}

/** Jul; the year for January. */
function shortMonth(month: string): string {
  const name = NAMES[Number(month.slice(5, 7)) - 1] ?? month;
  return name === 'Jan' ? month.slice(0, 4) : name;
}
