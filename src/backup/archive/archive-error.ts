// Errors of archives, each with its remedy.

/** Why an archive cannot be read or written; the message is a sentence for the operator. */
export class ArchiveError extends Error {
  override readonly name: string = 'ArchiveError';
}

/** The file is no archive of Freehold, or its first bytes are damaged. */
export class NotAnArchive extends ArchiveError {
  override readonly name = 'NotAnArchive';

  constructor() {
    super('This is no backup of Freehold, or its first bytes are damaged. Use another backup.');
  }
}

/** A byte differs from what was written. */
export class ArchiveDamaged extends ArchiveError {
  override readonly name = 'ArchiveDamaged';

  constructor(what: string, options?: ErrorOptions) {
    super(
      `The backup is damaged: ${what}. Copy it again from where it came from, or use another one.`,
      options,
    );
  }
}

/** The end of the file is missing, as after a copy that was interrupted. */
export class ArchiveTruncated extends ArchiveError {
  override readonly name = 'ArchiveTruncated';

  constructor(options?: ErrorOptions) {
    super(
      'The backup is cut short, or its last bytes are damaged. Copy it again from where it came from, or use another one.',
      options,
    );
  }
}

/** The archive is sealed, and no passphrase was given. */
export class PassphraseMissing extends ArchiveError {
  override readonly name = 'PassphraseMissing';

  constructor() {
    super('The backup is encrypted. Give its passphrase: at the prompt, or with --passphrase-file.');
  }
}

export class WrongPassphrase extends ArchiveError {
  override readonly name = 'WrongPassphrase';

  constructor() {
    super('The backup was encrypted with another passphrase.');
  }
}

/** A later release wrote the archive, in a format that this one does not know. */
export class NewerArchive extends ArchiveError {
  override readonly name = 'NewerArchive';

  constructor(release: string | null) {
    const writer = release === null ? 'a newer release of Freehold' : `Freehold ${release}`;
    super(`The backup was made by ${writer} in a format that this release does not know. Use that release.`);
  }
}
