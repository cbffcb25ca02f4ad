// Error of a value that a parser does not understand.

/** The message goes on after the value: 'is not a number …'. It names the remedy where there is one. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
