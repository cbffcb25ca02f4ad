// Arguments of tools: put into the types of the route's parameters, then read as strictly as the route reads them.

import type { Principal } from '../../access/tiers/tiers.ts';
import type { Route } from '../../http/frame/route.ts';
import { compileBody } from '../../http/input/body.ts';
import { CREDENTIAL_REMEDY, isCredentialName } from '../../http/input/credential-names.ts';
import { compileJsonQuery } from '../../http/input/json-query.ts';
import { parameterProblem, UnreadParameters } from '../../http/input/parameter-problem.ts';
import { parametersByName, withHints } from '../../http/input/parameter-table.ts';
import { compileParameters } from '../../http/input/query.ts';
import { redact } from '../../lib/log.ts';
import { nearest } from '../../lib/nearest.ts';
import { type FieldError, Problem } from '../../lib/problem.ts';
import { isRequired, parametersOf } from './json-schema.ts';
import { normalizeArguments } from './lenient-arguments.ts';
import type { Detail, Json, ToolRow } from './tool-row.ts';

/** Arguments as the route's handler takes them. */
export interface ToolArguments {
  readonly detail: Detail;
  readonly params: Json;
  readonly query: Json;
  readonly body: unknown;
  /** As sent, by the names of the parameters. */
  readonly sent: Json;
}

/** Throws INVALID_PARAMETER with every fault, and what the route throws for its path and body. */
export type ReadArguments = (args: unknown) => ToolArguments;

const MAX_ARGUMENTS = 200;
/** Of arguments that only tools have. */
const OWN_SCHEMA = { type: 'string' };
const DETAILS: readonly Detail[] = ['short', 'full'];

/** Compiles the reader of a tool's arguments. Throws if the row shows a parameter that its route does not have. */
export function compileArguments(row: ToolRow, route: Route<Principal>): ReadArguments {
  const readPath = compileParameters(route.path, route.params);
  const readQuery = route.query === undefined ? () => ({}) : compileJsonQuery(route.query);
  const readBody = route.body === undefined || route.ownBody !== undefined ? null : compileBody(route.body);
  const names = createNames(row, route);
  const parameters = parametersOf(route);
  const schemaOf = (name: string) => parameters[names.parameter(name)] ?? OWN_SCHEMA;
  return (args) => {
    const { sent: given, errors } = names.classify(args);
    const sent = normalizeArguments(given, schemaOf);
    const detail = readDetail(sent.detail, errors);
    const defaults = { ...row.defaults, ...row.defaultsFor?.(byParameter(sent, names), detail) };
    const missing = Object.entries(defaults).filter(([name]) => !names.isSent(name, sent));
    const { path, query, body } = names.split({ ...sent, ...Object.fromEntries(missing) });
    const { value: parsed, unread } = attempt(() => readQuery(query), errors);
    for (const name of names.required)
      if (!names.isSent(name, sent)) errors.push({ parameter: name, detail: 'is required' });
    for (const [name, value] of Object.entries(path))
      if (typeof value !== 'string') errors.push({ parameter: name, detail: 'must be a string' });
    if (errors.length > 0) {
      throw new UnreadParameters(parameterProblem(errors), parsed, unread);
    }
    return {
      detail,
      params: readPath(path as Record<string, string>),
      query: parsed,
      body: readBody === null ? body : readBody(body),
      sent: byParameter(sent, names),
    };
  };
}

const byParameter = (sent: Json, names: Names): Json =>
  Object.fromEntries(Object.entries(sent).map(([name, value]) => [names.parameter(name), value]));

function readDetail(value: unknown, errors: FieldError[]): Detail {
  const detail = DETAILS.find((each) => each === (value ?? 'short'));
  if (detail === undefined)
    errors.push({ parameter: 'detail', detail: `must be one of ${DETAILS.join(', ')}` });
  return detail ?? 'short';
}

/** Parses the query, as far as that goes; faults of its members become faults of arguments. */
function attempt(
  read: () => Json,
  errors: FieldError[],
): { readonly value: Json; readonly unread: Iterable<string> } {
  try {
    return { value: read(), unread: [] };
  } catch (thrown) {
    if (!(thrown instanceof UnreadParameters)) throw thrown;
    for (const { pointer = '', ...error } of thrown.errors)
      errors.push({ parameter: pointer.slice(1), ...error });
    return { value: thrown.readable, unread: thrown.unread };
  }
}

/** Names of arguments: those shown, those that only the REST API has, and what both mean. */
interface Names {
  readonly required: readonly string[];
  /** The parameter that a name or an alias of it means. */
  parameter(name: string): string;
  isSent(parameter: string, sent: Json): boolean;
  /** The arguments that the tool has, and a fault for each other one. Throws if they are no object. */
  classify(args: unknown): { sent: Json; errors: FieldError[] };
  split(args: Json): { path: Json; query: Json; body: Json | undefined };
}

function createNames(row: ToolRow, route: Route<Principal>): Names {
  const parameters = parametersOf(route);
  const unknown = row.shown.find((name) => !Object.hasOwn(parameters, name));
  if (unknown !== undefined) throw new Error(`${row.operation} has no parameter ${unknown}`);
  const inPath = Object.keys(route.params?.properties ?? {});
  const inQuery = route.query === undefined ? new Map<string, string>() : parametersByName(route.query);
  const inBody =
    route.body === undefined ? [] : Object.keys(parameters).filter((name) => !inPath.includes(name));
  const own = row.short === undefined ? [] : ['detail'];
  const shown = [...inPath, ...row.shown, ...own];
  const parameter = (name: string): string => inQuery.get(name) ?? name;
  const suggest = withHints(route.query, nearest);

  function faultOf(name: string): FieldError | null {
    if (shown.includes(parameter(name))) return null;
    const error = { parameter: redact(name).slice(0, 64) };
    if (isCredentialName(name)) return { ...error, detail: CREDENTIAL_REMEDY };
    const refusal = row.refused?.[name];
    if (refusal !== undefined) return { ...error, detail: refusal };
    if (inQuery.has(name) || inBody.includes(name))
      return {
        ...error,
        detail: `is not offered by ${row.name}; ${route.method} ${route.path} of the REST API has it`,
      };
    const hint = suggest(name, shown);
    const suggestion = hint === undefined || shown.includes(hint) ? hint : nearest(name, shown);
    const detail = `is not known to ${row.name}`;
    return suggestion === undefined ? { ...error, detail } : { ...error, detail, suggestion };
  }

  return {
    // What the query lacks is found when it is read.
    required: [...inPath, ...row.shown].filter((name) => !inQuery.has(name) && isRequired(name, route)),
    parameter,
    isSent: (name, sent) => Object.keys(sent).some((each) => parameter(each) === name),
    classify(args) {
      if (typeof args !== 'object' || args === null || Array.isArray(args))
        throw new Problem('INVALID_PARAMETER', 'The arguments must be a JSON object.');
      const entries = Object.entries(args);
      if (entries.length > MAX_ARGUMENTS)
        throw new Problem('INVALID_PARAMETER', `A call may have at most ${MAX_ARGUMENTS} arguments.`);
      const faults = entries.map(([name]) => faultOf(name));
      return {
        sent: Object.fromEntries(entries.filter((_, at) => faults[at] === null)),
        errors: faults.filter((fault) => fault !== null),
      };
    },
    split(args) {
      const of = (test: (name: string) => boolean): Json =>
        Object.fromEntries(Object.entries(args).filter(([name]) => test(name)));
      return {
        path: of((name) => inPath.includes(name)),
        query: of((name) => inQuery.has(name)),
        body: route.body === undefined ? undefined : of((name) => inBody.includes(name)),
      };
    },
  };
}
