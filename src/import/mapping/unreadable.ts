// Owns how a reader of values says that it does not understand one.

/** The message goes on after the value: 'is not a number …'. It names the remedy where there is one. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
