// Details of watchers: what events need of a watcher besides its conditions, in little memory.

import type { EventType, TargetType } from '../events/event-types.ts';
import { hasDigests, type WatcherDefinition } from './watcher-definition.ts';

/** Equal for most watchers of a kind. */
export interface WatcherProfile {
  readonly target: TargetType;
  readonly events: readonly EventType[];
  readonly eventsPerHour: number | null;
  readonly ignoreDisplayRules: boolean;
  /** Whether its events wait for a digest. */
  readonly hasDigests: boolean;
}

export interface MatchedWatcher extends WatcherProfile {
  readonly id: string;
  readonly owner: string;
}

/** Details as one string: the number of the profile, the id and the owner. */
export class WatcherDetails {
  readonly #profiles: WatcherProfile[] = [];
  readonly #numberOf = new Map<string, number>();

  encode(definition: WatcherDefinition): string {
    const { id, owner, target, events, eventsPerHour, ignoreDisplayRules } = definition;
    const profile: WatcherProfile = {
      target: target.type,
      events,
      eventsPerHour,
      ignoreDisplayRules,
      hasDigests: hasDigests(definition),
    };
    const key = JSON.stringify(profile);
    const number = this.#numberOf.get(key) ?? this.#profiles.push(profile) - 1;
    this.#numberOf.set(key, number);
    // A string made of others keeps all of them; this one is flat.
    return Buffer.from(`${number} ${id} ${owner}`).toString();
  }

  decode(details: string): MatchedWatcher {
    const [number = '', id = ''] = details.split(' ', 2);
    const profile = this.#profiles[Number(number)];
    if (profile === undefined) throw new Error('The details name no profile');
    return { ...profile, id, owner: details.slice(number.length + id.length + 2) };
  }
}
