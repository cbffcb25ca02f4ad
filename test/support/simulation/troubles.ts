// What goes wrong in a simulated world between its processes and their database.

import type { NotifyingDatabase, NotifyingLink } from './notifying-database.ts';
import type { World } from './world.ts';

/** Lets something happen again and again, after so many milliseconds each time. */
export function repeat(world: World, low: number, high: number, work: () => void): void {
  const again = (): void => {
    work();
    world.after(world.between(low, high), again);
  };
  world.after(world.between(low, high), again);
}

/** Now and then breaks the connections of a process, or lets its link fall silent, for up to 40 seconds. */
export function suffer(world: World, database: NotifyingDatabase, link: NotifyingLink): void {
  repeat(world, 5_000, 90_000, () => {
    if (link.state !== 'open') return;
    if (world.random() < 0.5) database.refuse(link);
    else link.state = 'silent';
    world.after(world.between(500, 40_000), () => {
      link.state = 'open';
    });
  });
}
