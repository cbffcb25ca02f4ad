// Commands about what sources permit: `freehold sources licence`, `block` and `unblock`.

import type { Command } from 'commander';
import { CHANNELS, type Channel, isChannel } from '../../access/tiers/reach.ts';
import { readConfig } from '../../config.ts';
import { nearest } from '../../lib/nearest.ts';
import {
  type Block,
  blockSource,
  findBlocks,
  findLicensedSources,
  findTerms,
  unblockSource,
} from '../../licence/licence-store.ts';
import { OWN, type Terms } from '../../licence/terms/terms.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { print, printJson, printTable } from '../output.ts';

interface Flags {
  readonly json?: true;
}

interface ChannelFlags extends Flags {
  readonly channel?: readonly string[];
}

export function addLicence(group: Command): void {
  group
    .command('licence [id]')
    .summary('show what sources permit')
    .description(
      'Shows for each source whom each channel shows its listings, which channels are blocked, and what else its terms ask for.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold sources licence', 'freehold sources licence abor --json'))
    .action((id: string | undefined, { json }: Flags) => show(id, json));
  const channel = ['--channel <name...>', `only these: ${CHANNELS.join(', ')}`] as const;
  group
    .command('block <id>')
    .summary('show nothing of a source any more')
    .description(
      'Closes all channels, or some, to the listings of a source: within a second no process shows or counts them there. What\n' +
        'is stored stays, and the source is read as before.',
    )
    .option(...channel)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('freehold sources block abor', 'freehold sources block abor --channel mcp export'),
    )
    .action((id: string, flags: ChannelFlags) => block(id, flags));
  group
    .command('unblock <id>')
    .summary('end blocks of a source')
    .description('Opens all channels again, or some, as far as the licence of the source permits.')
    .option(...channel)
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold sources unblock abor'))
    .action((id: string, flags: ChannelFlags) => unblock(id, flags));
}

interface LicenceState {
  readonly source: string;
  readonly terms: Terms;
  /** Channels that are blocked; `all` for every one. */
  readonly blocked: readonly Block[];
}

async function show(id: string | undefined, json?: true): Promise<void> {
  const states = await withDatabase(readConfig(), (database) =>
    database.read(async (sql): Promise<LicenceState[]> => {
      const sources = await findLicensedSources(sql);
      if (id !== undefined) requireKnown(sources, id);
      const found: LicenceState[] = [];
      for (const source of id === undefined ? sources : [id])
        found.push({
          source,
          terms: (await findTerms(sql, source)) ?? OWN,
          blocked: await findBlocks(sql, source),
        });
      return found;
    }),
  );
  if (json) return printJson(id === undefined ? states : states[0]);
  printTable(['source', ...CHANNELS], states.map(rowOf), 'There is no source yet.');
  for (const state of states) for (const line of linesOf(state)) print(process.stdout, line);
}

/** What else the terms of a source ask for, a line each. */
function linesOf({ source, terms }: LicenceState): string[] {
  // Terms that an earlier release stored lack members.
  const { attribution, disclaimer, logo, hiddenFields, required, forgetAfter, maximumAge } = {
    ...OWN,
    ...terms,
  };
  const parts = [
    maximumAge === null ? null : `shown for ${maximumAge} s after it was read`,
    attribution === null ? null : `attribution "${attribution}"`,
    disclaimer === null ? null : `disclaimer "${disclaimer}"`,
    logo === null ? null : `logo ${logo}`,
    hiddenFields.length === 0 ? null : `hides ${hiddenFields.join(', ')}`,
    required.length === 0 ? null : `requires ${required.join(', ')}`,
    forgetAfter === null ? null : `forgets after ${forgetAfter} s`,
  ];
  return parts.flatMap((part) => (part === null ? [] : `${source}: ${part}`));
}

const rowOf = ({ source, terms, blocked }: LicenceState): string[] => [
  source,
  ...CHANNELS.map((channel) =>
    blocked.includes('all') || blocked.includes(channel) ? 'blocked' : terms.channels[channel],
  ),
];

async function block(id: string, { channel, json }: ChannelFlags): Promise<void> {
  const channels = channel === undefined ? (['all'] as const) : channelsOf(channel);
  const blocked = await withDatabase(readConfig(), (database) =>
    database.transaction(async (tx) => {
      requireKnown(await findLicensedSources(tx), id);
      await blockSource(tx, id, channels, new Date(database.clock.now()));
      return findBlocks(tx, id);
    }),
  );
  tell({ source: id, blocked }, json);
}

async function unblock(id: string, { channel, json }: ChannelFlags): Promise<void> {
  const channels = channel === undefined ? (['all', ...CHANNELS] as const) : channelsOf(channel);
  const blocked = await withDatabase(readConfig(), (database) =>
    database.transaction(async (tx) => {
      requireKnown(await findLicensedSources(tx), id);
      const before = await findBlocks(tx, id);
      if (channel !== undefined && before.includes('all'))
        throw new CommandFailure(
          `All channels of ${id} are blocked together. End that first: \`freehold sources unblock ${id}\`.`,
        );
      await unblockSource(tx, id, channels);
      return findBlocks(tx, id);
    }),
  );
  tell({ source: id, blocked }, json);
}

function tell(state: { readonly source: string; readonly blocked: readonly Block[] }, json?: true): void {
  const { source, blocked } = state;
  const where = blocked.includes('all') ? 'on every channel' : `on ${blocked.join(', ')}`;
  const sentence = blocked.length === 0 ? `${source} is not blocked.` : `${source} is blocked ${where}.`;
  if (json) printJson(state);
  else print(process.stdout, sentence);
}

function channelsOf(names: readonly string[]): Channel[] {
  return names.map((name) => {
    if (isChannel(name)) return name;
    const meant = nearest(name, CHANNELS);
    const hint = meant === undefined ? `there are ${CHANNELS.join(', ')}` : `did you mean ${meant}?`;
    throw new CommandFailure(`There is no channel ${name}: ${hint}`, EXIT.usage);
  });
}

function requireKnown(sources: readonly string[], id: string): void {
  if (sources.includes(id)) return;
  const meant = nearest(id, sources);
  const hint =
    meant === undefined ? '`freehold sources licence` lists those that there are.' : `Did you mean ${meant}?`;
  throw new CommandFailure(`There is no source ${id}. ${hint}`);
}
