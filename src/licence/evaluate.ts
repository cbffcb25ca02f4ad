// Whom a channel shows the listings under one licence: the terms of their source, narrowed by marks, blocks and age. Pure.

import type { Channel } from '../access/tiers/reach.ts';
import { type Audience, type Mark, narrower, type Terms } from './terms/terms.ts';

/** What is known of a source besides its terms. */
export interface SourceState {
  /** Channels that the operator closed; `all` for every one. */
  readonly blocked: ReadonlySet<Channel | 'all'>;
  /** Seconds since the source was last read to its end; null: never. */
  readonly age: number | null;
  /** Whether its stored listings keep to what the terms hide and require. */
  readonly isInLine: boolean;
}

/** Whom this channel shows listings with these marks. */
export function permittedAudience(
  terms: Terms,
  marks: readonly Mark[],
  { blocked, age, isInLine }: SourceState,
  channel: Channel,
): Audience {
  if (!isInLine || blocked.has('all') || blocked.has(channel)) return 'off';
  if (terms.maximumAge !== null && (age === null || age > terms.maximumAge)) return 'off';
  return narrower(terms.channels[channel], audienceOfMarks(terms.marks, marks, channel));
}

/**
 * Whom marks leave. They say who may look at a listing in public: those with a subscription read it by the other channels, since the
 * operator's terms with the source are about those.
 */
function audienceOfMarks(terms: Terms['marks'], marks: readonly Mark[], channel: Channel): Audience {
  if (terms === null) return 'public';
  const known = marks.flatMap((mark) => terms.audiences[mark] ?? []);
  if (known.length === 0) return terms.missing === 'show' ? 'public' : 'off';
  const widest = known.reduce((one, other) => (narrower(one, other) === one ? other : one));
  return channel === 'explorer' || widest !== 'off' ? widest : 'subscribers';
}
