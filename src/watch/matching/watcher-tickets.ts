// Tickets of watchers: what events need of a watcher besides its conditions, in little memory.

import type { EventType, TargetType } from '../events/event-types.ts';
import type { WatcherDefinition } from './watcher-definition.ts';

/** Equal for most watchers of a kind. */
export interface WatcherProfile {
  readonly target: TargetType;
  readonly events: readonly EventType[];
  readonly eventsPerHour: number | null;
  readonly ignoreDisplayRules: boolean;
}

export interface WatcherTicket extends WatcherProfile {
  readonly id: string;
  readonly owner: string;
}

/** A ticket as one string: the number of its profile, the id and the owner. */
export class WatcherTickets {
  readonly #profiles: WatcherProfile[] = [];
  readonly #numberOf = new Map<string, number>();

  write({ id, owner, target, events, eventsPerHour, ignoreDisplayRules }: WatcherDefinition): string {
    const profile = { target: target.type, events, eventsPerHour, ignoreDisplayRules };
    const key = JSON.stringify(profile);
    const number = this.#numberOf.get(key) ?? this.#profiles.push(profile) - 1;
    this.#numberOf.set(key, number);
    // A string made of others keeps all of them; this one is flat.
    return Buffer.from(`${number} ${id} ${owner}`).toString();
  }

  read(ticket: string): WatcherTicket {
    const [number = '', id = ''] = ticket.split(' ', 2);
    const profile = this.#profiles[Number(number)];
    if (profile === undefined) throw new Error('A ticket names no profile');
    return { ...profile, id, owner: ticket.slice(number.length + id.length + 2) };
  }
}
