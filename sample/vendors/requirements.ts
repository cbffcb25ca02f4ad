// Requirements of a vendor: what a request must have, and what it must not.
import type { IncomingHttpHeaders } from 'node:http';
import type { Expression } from '../odata/filter.ts';
import { parseFilter } from '../odata/filter.ts';
import { badRequest, ODataError } from '../odata/problem.ts';
import type { VendorRules } from './rules.ts';

/** Throws the 400 of a request without a header that it must have; comes before credentials are read. */
export function requireHeaders(headers: IncomingHttpHeaders, rules: VendorRules): void {
  for (const [name, text] of Object.entries(rules.headers))
    if (!String(headers[name] ?? '').includes(text)) throw badRequest(`${name} must have ${text}`);
}

/** Throws the 400 of a query that the vendor does not answer. `isReplication`: of what may be replicated. */
export function requireQuery(query: URLSearchParams, rules: VendorRules, isReplication: boolean): void {
  const refused = [...rules.refused, ...(isReplication ? ['$orderby', '$skip', '$count'] : [])];
  for (const name of refused) if (query.has(name)) throw badRequest(`${name} is not supported here`);
  if (!rules.sorts && query.has('$orderby')) throw tooSlow();
  if (/\bMedia\s*\([^)]*\$select/.test(query.get('$expand') ?? ''))
    throw badRequest('$select is not supported in $expand');
  if (rules.media === 'inline' && /\bMedia\b/.test(query.get('$expand') ?? ''))
    throw badRequest('Media is a part of every record and cannot be expanded');
  requireFilter(query.get('$filter'), rules);
}

/** Throws the 400 of a filter that lacks the name of a system, or has what filters must not have. */
export function requireFilter(text: string | null, rules: VendorRules): void {
  const comparisons = text === null ? [] : comparisonsOf(parseFilter(text));
  const systems = comparisons.filter(
    ({ field, operator }) => field === 'OriginatingSystemName' && operator === 'eq',
  );
  if (rules.originatingSystem && systems.length !== 1)
    throw badRequest('OriginatingSystemName must be compared by eq exactly once');
  const { searchable, maxOr } = rules;
  const unsearchable = comparisons.find(({ field }) => searchable !== null && !searchable.includes(field));
  if (unsearchable) throw badRequest(`${unsearchable.field} is not searchable`);
  const choices = (text ?? '').match(/\bor\b/g)?.length ?? 0;
  if (maxOr !== null && choices > maxOr) throw badRequest(`A filter may have ${maxOr} times "or"`);
}

/** The error of a query that was cancelled. */
export const tooSlow = (status = 503): ODataError =>
  new ODataError(status, '1516', 'The query took too long and was cancelled');

type Comparison = { readonly field: string; readonly operator: string };

function comparisonsOf(expression: Expression): Comparison[] {
  switch (expression.kind) {
    case 'compare':
      return [expression];
    case 'in':
      return [{ field: expression.field, operator: 'in' }];
    case 'not':
      return comparisonsOf(expression.part);
    default:
      return expression.parts.flatMap(comparisonsOf);
  }
}
