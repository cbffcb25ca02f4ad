// Examples in the OpenAPI document: one for each parameter and each body.

/** Values by names of parameters. */
export type Values = Readonly<Record<string, unknown>>;

export interface Examples {
  /** By the name of the parameter, whichever operation takes it. */
  readonly parameters: Values;
  /** Where a parameter means something else to one operation: by operation, then by name. */
  readonly perOperation: Readonly<Record<string, Values>>;
  /** A request of each operation that works as it stands, by operation; parameters that are not named are left out. */
  readonly samples: Readonly<Record<string, Values>>;
  /** By operation. */
  readonly bodies: Readonly<Record<string, unknown>>;
}

/** As a member of a parameter: `{ example }`, or nothing where none is known. */
export function parameterExample(examples: Examples | undefined, operation: string, name: string): object {
  const known = [examples?.samples[operation], examples?.perOperation[operation], examples?.parameters];
  const values = known.find((each) => each !== undefined && Object.hasOwn(each, name));
  return values === undefined ? {} : { example: values[name] };
}

/** As a member of a body's media type: `{ example }`, or nothing where none is known. */
export function bodyExample(examples: Examples | undefined, operation: string): object {
  const example = examples?.bodies[operation];
  return example === undefined ? {} : { example };
}
