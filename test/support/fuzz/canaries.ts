// Secrets that are looked for afterwards: each has a text that occurs nowhere else, whatever form it is written in.

import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { poll } from '../check/until.ts';
import { type CliRun, readyUrl } from '../process/cli.ts';

/** A well-formed API key that nobody has. */
export function canaryKey(): string {
  const hex = randomBytes(16).toString('hex').toUpperCase();
  return `SERVICE-${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** An opaque secret, as tokens, passwords and client secrets are. */
export function canaryToken(): string {
  return randomBytes(24).toString('hex');
}

/** The part that is looked for: enough to be unique, so that a secret cut in half is found too. */
function core(canary: string): string {
  return canary.slice(-24, -4);
}

/** The forms that a text can have in a file: as it is, in hexadecimal, as a list of bytes, in base64. */
function forms(canary: string): { readonly folded: readonly string[]; readonly exact: readonly string[] } {
  const part = core(canary);
  const written = [part.toUpperCase(), part.toLowerCase()];
  const bytes = written.map((text) => Buffer.from(text));
  const shifted = [0, 1, 2].flatMap((shift) => bytes.map((each) => base64Within(each, shift)));
  return {
    folded: [part, part.replaceAll('-', '%2d'), ...bytes.map((each) => each.toString('hex'))].map((each) =>
      each.toLowerCase(),
    ),
    exact: [...bytes.flatMap((each) => [[...each].join(','), [...each].join(', ')]), ...shifted],
  };
}

/** What base64 makes of bytes that begin so many bytes behind a multiple of three, without its blurred ends. */
function base64Within(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
  return text.slice(shift === 0 ? 0 : 4, -4);
}

export class Canaries {
  readonly #watched = new Map<string, ReturnType<typeof forms>>();

  /** Watches for a secret from now on; `name` tells in a failure which one it was. */
  watch(name: string, canary: string): string {
    this.#watched.set(name, forms(canary));
    return canary;
  }

  /** Names of the secrets that a text holds, in whatever form. */
  in(text: string): string[] {
    const lower = text.toLowerCase();
    return [...this.#watched].flatMap(([name, { folded, exact }]) =>
      folded.some((form) => lower.includes(form)) || exact.some((form) => text.includes(form)) ? [name] : [],
    );
  }

  /** `file: name` of each secret in the files below a folder. */
  async below(folder: string, except: readonly string[] = []): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || except.includes(entry.name)) continue;
      const bytes = await readFile(join(entry.parentPath, entry.name));
      for (const name of this.in(bytes.toString('latin1'))) found.push(`${entry.name}: ${name}`);
    }
    return found;
  }
}

/** Where a service that was started says that it is. */
export async function serving(run: CliRun): Promise<string> {
  return await poll('the service says where it is', () => readyUrl(run.stdout()), 60_000);
}
