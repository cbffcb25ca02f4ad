// Table of values that several users share: equal ones are made once, and kept until their last user has gone.

export class SharedTable<Value extends { readonly key: string }> {
  readonly #entries = new Map<string, { readonly value: Value; users: number }>();

  /** The value with this key, which is made for its first user. */
  add(key: string, make: () => Value): Value {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.users++;
      return known.value;
    }
    const value = make();
    this.#entries.set(key, { value, users: 1 });
    return value;
  }

  /** Takes one of its users away. */
  remove({ key }: Value): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && --entry.users === 0) this.#entries.delete(key);
  }
}
