// OpenAPI document of the reference page: the served one, with a request of each operation that works on the running store.

import type { RequestContext } from '../http/frame/route.ts';
import { conditional, strongEtag } from '../http/output/etag.ts';
import type { Reply } from '../http/output/reply.ts';
import type { Clock } from '../lib/clock.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { rememberFor } from '../lib/remember.ts';

type Document = Readonly<Record<string, unknown>>;

export interface ReferenceOptions {
  readonly clock: Clock;
  /** The document as it is served; asked when the page is first shown. */
  readonly document: () => Document;
  /** By operation, the parameters that stand in its sample besides those it must have. */
  readonly samples: Readonly<Record<string, object>>;
  /** Ids that the document's examples use, by what they name. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** Ids of the running store under the same names; null while it has none. */
  readonly findIds: () => Promise<Readonly<Record<string, string | null>> | null>;
}

/** Milliseconds for which ids are good: nobody's requests to the page are counted. */
const LIFETIME = 60_000;

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-cache',
  'cross-origin-resource-policy': 'same-origin',
};

/** The handler that answers with the document. Where the store cannot be asked, examples keep their placeholders. */
export function referenceHandler(options: ReferenceOptions) {
  let template: string | undefined;
  const text = rememberFor(LIFETIME, options.clock, () => {
    template ??= JSON.stringify(withSamples(options.document(), options.samples));
    return filled(template, options);
  });
  return async ({ headers }: Pick<RequestContext<unknown>, 'headers'>): Promise<Reply> => {
    const filledIn = await text();
    return conditional(headers, strongEtag(filledIn), { text: filledIn, headers: HEADERS });
  };
}

async function filled(template: string, { placeholders, findIds }: ReferenceOptions): Promise<string> {
  const ids = await nullIfUnavailable(findIds());
  return Object.entries(placeholders).reduce((text, [name, placeholder]) => {
    const id = ids?.[name] ?? placeholder;
    return text.replaceAll(JSON.stringify(placeholder), () => JSON.stringify(id));
  }, template);
}

/**
 * The page shows a sample of each operation with every parameter that has an example and is not switched off, and an
 * operation's examples do not all go together: so those that its sample does not name are switched off.
 */
export function withSamples(document: Document, samples: ReferenceOptions['samples']): Document {
  const paths = mapValues(document.paths, (methods) =>
    mapValues(methods, (operation) => {
      const { operationId, parameters } = operation as { operationId?: string; parameters?: Parameter[] };
      if (parameters === undefined) return operation;
      const sample = samples[operationId ?? ''] ?? {};
      return { ...(operation as object), parameters: parameters.map((each) => sampled(each, sample)) };
    }),
  );
  return { ...document, paths };
}

interface Parameter {
  readonly name: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

function sampled({ example, ...parameter }: Parameter, sample: object): object {
  if (example === undefined) return parameter;
  const shown = parameter.required === true || Object.hasOwn(sample, parameter.name);
  return { ...parameter, examples: { sample: { value: example, 'x-disabled': !shown } } };
}

function mapValues(value: unknown, change: (member: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, member]) => [name, change(member)]));
}
