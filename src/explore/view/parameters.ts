// Parameters of a view as links and forms carry them: names and values, in the order of the URL.

export type Parameters = ReadonlyMap<string, string>;

/** What to change: null removes a parameter. */
export type Changes = Readonly<Record<string, string | null>>;

/** Where in the list one is belongs to one list: whatever changes the list begins it again. */
const POSITION = 'cursor';

/** The parameters of a URL's query. One that comes several times is a list. */
export function readParameters(query: string): Parameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const former = parameters.get(name);
    parameters.set(name, former === undefined ? value : `${former},${value}`);
  }
  return parameters;
}

export function changed(parameters: Parameters, changes: Changes): Parameters {
  const next = new Map(parameters);
  if (!(POSITION in changes)) next.delete(POSITION);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** What `target` changes in `base`, changed in `current`: a link that was written for one view, followed from another. */
export function rebased(base: Parameters, target: Parameters, current: Parameters): Parameters {
  const names = [...new Set([...base.keys(), ...target.keys()])];
  const changes = names
    .filter((name) => base.get(name) !== target.get(name))
    .map((name): [string, string | null] => [name, target.get(name) ?? null]);
  return changed(current, Object.fromEntries(changes));
}

/** A link to the view with these parameters, relative to the page of the explorer. */
export function linkTo(parameters: Parameters, changes: Changes = {}): string {
  const query = writeQuery(changed(parameters, changes));
  return query === '' ? 'explore' : `explore?${query}`;
}

/** The parameters as a query, with commas and colons as people read them. */
export function writeQuery(parameters: Parameters): string {
  return new URLSearchParams([...parameters]).toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** Values of a list. */
export function listOf(parameters: Parameters, name: string): readonly string[] {
  return (parameters.get(name) ?? '').split(',').filter((value) => value !== '');
}

/** What a form has to carry along, besides the parameters that it has fields for. */
export function carried(
  parameters: Parameters,
  fields: readonly string[],
): readonly (readonly [string, string])[] {
  return [...parameters].filter(([name]) => name !== POSITION && !fields.includes(name));
}
