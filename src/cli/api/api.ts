// Commands `freehold api …`: each operation of the API of a remote service.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from '../failure.ts';
import { examples } from '../options.ts';
import { copyText, defaultForm, type Form, showAnswer, showPages, showResults } from './answers.ts';
import { bodyOf } from './body.ts';
import { type Call, cursorOf, send } from './call.ts';
import { type ApiCommand, apiCommands, type Operation, readDocument } from './document.ts';
import { showEvents, showStream } from './feeds.ts';
import { addFields, fieldsOf, type Given, membersOf, optionNames, queryOf } from './fields.ts';
import { examplesOf, groupSummary } from './help.ts';
import { readRemoteSettings } from './remote-settings.ts';
import { connect, failureOf } from './service.ts';

interface Flags {
  readonly json?: true;
  readonly ndjson?: true;
  readonly table?: true;
  readonly csv?: true;
  readonly geojson?: true;
  readonly all?: true;
  readonly data?: string;
  readonly ifMatch?: string;
  readonly verbose?: true;
  readonly timeout: number;
}

/** @param words what follows `freehold api`: where they call one command, the others are named, and have no options */
export function addApi(program: Command, words: readonly string[] = []): void {
  const commands = apiCommands(readDocument());
  const called = commands.find((command) => command.words.every((word, place) => words[place] === word));
  const api = program
    .command('api')
    .summary('use the API of a service')
    .description(
      'Calls the API of a service, here or elsewhere: FREEHOLD_URL is its address, FREEHOLD_KEY the key.\n' +
        'On a terminal, lists are tables; in a pipe, each row is a line of JSON.',
    )
    .addHelpText(
      'after',
      examples(
        'freehold api search sales --city Ashcombe --max-price 500000',
        'freehold api search rentals --min-bedrooms 2 --csv > rentals.csv',
        'freehold api stream lst_d1h842qr7jgn1h77ph5k',
        'freehold api watch --after now',
      ),
    );
  for (const command of commands) {
    const added = addCommand(groupOf(api, command, commands), command);
    if (called === undefined || called === command) addOptions(added, command);
  }
}

/** The command that holds it: `search` of `search sales`, made with the first. */
function groupOf(api: Command, { words }: ApiCommand, commands: readonly ApiCommand[]): Command {
  const [noun = ''] = words;
  if (words.length === 1) return api;
  const group = api.commands.find((command) => command.name() === noun);
  if (group !== undefined) return group;
  const members = commands.filter((command) => command.words[0] === noun);
  const summary = groupSummary(noun);
  return api
    .command(noun)
    .summary(summary)
    .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
    .addHelpText(
      'after',
      examples(...members.slice(0, 3).flatMap((member) => examplesOf(member).slice(0, 1))),
    );
}

function addCommand(parent: Command, { words, operation }: ApiCommand): Command {
  const summary = `${operation.summary[0]?.toLowerCase()}${operation.summary.slice(1)}`;
  return parent
    .command(words.at(-1) ?? '')
    .summary(summary)
    .description(descriptionOf(operation));
}

function addOptions(command: Command, api: ApiCommand): void {
  const { operation, variants } = api;
  command.addHelpText('after', examples(...examplesOf(api)));
  for (const { name, description = '' } of operation.parameters.filter((each) => each.in === 'path'))
    command.argument(`<${name}>`, optionNames(description));
  addOutputOptions(command, operation, variants);
  if (operation.body !== null || variants.has('data')) {
    const types = (variants.get('data') ?? operation).body?.types.join(' or ');
    command.option('--data <file>', `body of the request, ${types}; - reads standard input`);
  }
  if (operation.isConditional)
    command.option('--if-match <etag>', 'only if it still has this ETag (see --verbose)');
  refuseKeys(command);
  const readFields = addFields(command, fieldsOf(api));
  command.action(async (...parsed: unknown[]) => {
    const places = parsed.slice(0, -2) as string[];
    const flags = command.opts<Flags>();
    await run(api, places, flags, readFields(flags));
  });
}

/** Sentences of openapi.json, without what is of HTTP alone. */
const descriptionOf = ({ summary, description }: Operation): string =>
  [`${summary}.`, optionNames(description.replace(/```.*?```/gs, '').trim())]
    .join(' ')
    .replace(/\n{2,}/g, '\n');

const OUTPUT = 'How it is shown:';

function addOutputOptions(command: Command, operation: Operation, variants: ApiCommand['variants']): void {
  const forms: Option[] = [];
  const isJson = operation.answers === null || /json$|event-stream/.test(operation.answers);
  const isStream = operation.answers === 'text/event-stream';
  if (isJson && !isStream) forms.push(new Option('--json', 'print the whole answer as JSON'));
  if (isJson) forms.push(new Option('--ndjson', linesText(variants)), new Option('--table', 'print a table'));
  if (variants.has('csv'))
    forms.push(new Option('--csv', 'print CSV: all results, as far as your tier has that'));
  if (variants.has('geojson')) forms.push(new Option('--geojson', 'print GeoJSON'));
  for (const form of forms) {
    const others = forms.filter((other) => other !== form).map((other) => other.attributeName());
    command.addOption(form.conflicts(others).helpGroup(OUTPUT));
  }
  if (cursorOf(operation) !== undefined && !isStream)
    command.addOption(new Option('--all', 'every page, not the first alone').helpGroup(OUTPUT));
  command.addOption(
    new Option('--verbose', 'show requests, limits and ids of requests on standard error').helpGroup(OUTPUT),
  );
  command.addOption(
    new Option('--timeout <seconds>', 'how long to wait for an answer')
      .argParser(secondsArgument)
      .default(30)
      .helpGroup(OUTPUT),
  );
}

const linesText = (variants: ApiCommand['variants']): string =>
  variants.has('ndjson')
    ? 'print JSON lines: all results, as far as your tier has that'
    : 'print JSON lines, also on a terminal';

function secondsArgument(text: string): number {
  const seconds = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('Give seconds, above 0 and at most 86400.');
}

/** A key among the arguments stands in the list of processes, where everybody on the computer reads it. */
function refuseKeys(command: Command): void {
  for (const flag of ['--key', '--api-key', '--token', '--bearer'])
    command.addOption(
      new Option(`${flag} [value]`).hideHelp().argParser(() => {
        throw new CommandFailure(
          `A key is never an option: everybody on this computer can read the list of processes, and your shell keeps it. ` +
            'Set FREEHOLD_KEY instead, and replace the key if others use this computer.',
          EXIT.usage,
        );
      }),
    );
}

async function run(api: ApiCommand, places: readonly string[], flags: Flags, given: Given): Promise<void> {
  const settings = readRemoteSettings();
  const { verbose = false, timeout } = flags;
  const transport = connect(settings, { verbose, timeout });
  try {
    const call = await callOf(api, places, flags, given);
    await show(api, call, flags, given, transport);
  } catch (error) {
    throw failureOf(error, settings.key !== null);
  }
}

/** The operation that the options choose, with what they say. */
async function callOf(
  { operation, variants }: ApiCommand,
  places: readonly string[],
  flags: Flags,
  given: Given,
): Promise<Call> {
  const headers = flags.ifMatch === undefined ? {} : { 'if-match': flags.ifMatch };
  const format = (['csv', 'ndjson', 'geojson'] as const).find((name) => flags[name] && variants.has(name));
  const byBody = flags.data === undefined ? undefined : variants.get('data');
  if (byBody !== undefined) {
    const body = await bodyOf(byBody, flags.data, {
      ...membersOf(given),
      ...(format !== undefined && { format }),
    });
    const accept = format && variants.get(format)?.answers;
    return {
      operation: byBody,
      places,
      query: new URLSearchParams(),
      body,
      headers: { ...headers, ...(accept && { accept }) },
    };
  }
  const chosen = (format && variants.get(format)) ?? operation;
  const members = new Map([...given].filter(([{ place }]) => place === 'body'));
  return {
    operation: chosen,
    places,
    query: queryOf(given),
    body: await bodyOf(chosen, flags.data, membersOf(members)),
    headers,
  };
}

function formOf({ json, ndjson, table }: Flags): Form {
  if (json) return 'json';
  if (ndjson) return 'lines';
  return table ? 'table' : defaultForm();
}

async function show(
  { operation }: ApiCommand,
  call: Call,
  flags: Flags,
  given: Given,
  transport: ReturnType<typeof connect>,
): Promise<void> {
  const form = formOf(flags);
  const lastOf = (name: string): string | undefined => {
    const value = [...given].find(([field]) => field.name === name)?.[1];
    return Array.isArray(value) ? value.at(-1) : undefined;
  };
  const [id] = call.places;
  if (operation.id === 'streamListing') return showStream(transport, id ?? '', form);
  if (operation.answers === 'text/event-stream') {
    const after = lastOf('after') ?? lastOf('lastEventId');
    return showEvents(
      transport,
      { ...(after !== undefined && { after }), ...(id !== undefined && { watcherId: id }) },
      form,
    );
  }
  const answers = call.headers.accept ?? call.operation.answers;
  if (answers === null) return void (await send(transport, call));
  if (operation.id === 'putListings') return showResults(transport, call, form);
  // The document of the API is for programs, whatever its type.
  if (answers !== 'application/json' || operation.id === 'getOpenapi')
    return copyText(transport, call, flags.all === true);
  const cursor = cursorOf(operation);
  const showing = { form, isChosen: lastOf('fields') !== undefined };
  if (cursor === undefined || form === 'json') {
    if (flags.all)
      throw new CommandFailure(
        '--json is the answer of one page. With --all, --ndjson prints each row as a line of JSON.',
        EXIT.usage,
      );
    return showAnswer(transport, call, showing);
  }
  await showPages(transport, call, { cursor, max: maxOf(lastOf('limit')), all: flags.all === true }, showing);
}

/** What is no number is left to the service to explain. */
const maxOf = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
