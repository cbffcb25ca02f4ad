// Refusal of an import.

/** Nothing can be imported now, for a reason that is not in the file. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}
