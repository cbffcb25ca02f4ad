// Errors of a restore.

/** The database cannot be restored; the message is a sentence for the operator that contains the remedy. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError';
}
