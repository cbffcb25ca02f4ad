// Examples in the OpenAPI document: one for each parameter and each body.

/** Values by names of parameters. */
export type Values = Readonly<Record<string, unknown>>;

export interface Examples {
  /** By the name of the parameter, whichever operation takes it. */
  readonly parameters: Values;
  /** Overrides by operation, then by name. */
  readonly perOperation: Readonly<Record<string, Values>>;
  /** A working request of each operation; parameters not listed are left out. */
  readonly samples: Readonly<Record<string, Values>>;
  /** By operation. */
  readonly bodies: Readonly<Record<string, unknown>>;
}

/** `{ example }` of a parameter, or nothing if there is none. */
export function parameterExample(examples: Examples | undefined, operation: string, name: string): object {
  const levels = [examples?.samples[operation], examples?.perOperation[operation], examples?.parameters];
  const values = levels.find((each) => each !== undefined && Object.hasOwn(each, name));
  return values === undefined ? {} : { example: values[name] };
}

/** `{ example }` of a body's media type, or nothing if there is none. */
export function bodyExample(examples: Examples | undefined, operation: string): object {
  const example = examples?.bodies[operation];
  return example === undefined ? {} : { example };
}
