// Guard of whatever ends listings because a list of its source no longer has them. Pure.

/** A list that should name every listing of a source, and what would follow from it. */
export interface EndingList {
  /** Listings that it names. */
  readonly listed: number;
  /** Why it may not be whole; null: nothing says so. */
  readonly doubt: string | null;
  /** Stored listings that it could end. */
  readonly stored: number;
  /** Those of them that it does not name. */
  readonly ending: number;
}

/** So many listings, or this share of those stored if it is more, may end without somebody having looked. */
const UNSUSPICIOUS = { listings: 10, share: 0.05 };

/** Why listings must not be ended unless somebody has looked, as a sentence; null: nothing speaks against it. */
export function refuseEnding({ listed, doubt, stored, ending }: EndingList): string | null {
  if (ending === 0) return null;
  if (listed === 0) return `The list names no listing, so all ${stored} would end.`;
  if (doubt !== null)
    return `The list may be cut short, so ${ending} of ${stored} listings may be missing only from it: ${doubt}.`;
  if (ending <= Math.max(UNSUSPICIOUS.listings, UNSUSPICIOUS.share * stored)) return null;
  return (
    `${ending} of ${stored} listings would end, which is more than ${UNSUSPICIOUS.listings} and more than ` +
    `${UNSUSPICIOUS.share * 100} %: the list may be of something else.`
  );
}
