// State file: what the sample needs to restore its market after a restart.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Deed, Journal } from './world.ts';

/** Reads a journal; null when there is no file. Throws when the file is not a journal. */
export function readJournal(file: string): Journal | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  if (!isJournal(value)) throw new TypeError('not a journal of the sample market');
  return value;
}

/** Writes the whole journal beside the file, then takes its place, so that the file is never half written. */
export function writeJournal(file: string, journal: Journal): void {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(journal)}\n`);
  renameSync(draft, file);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJournal(value: unknown): value is Journal {
  return (
    isRecord(value) &&
    value.version === 1 &&
    typeof value.seed === 'string' &&
    Number.isSafeInteger(value.epoch) &&
    Number.isSafeInteger(value.size) &&
    Array.isArray(value.deeds) &&
    value.deeds.every(isDeed)
  );
}

function isDeed(value: unknown): value is Deed {
  if (!isRecord(value)) return false;
  switch (value.kind) {
    case 'steps':
      return (
        Number.isSafeInteger(value.count) && Number.isFinite(value.firstAt) && Number.isFinite(value.lastAt)
      );
    case 'change':
      return typeof value.key === 'string' && Number.isFinite(value.at) && isRecord(value.set);
    case 'restore':
      return typeof value.key === 'string' && Number.isFinite(value.at);
    case 'rekey':
      return typeof value.key === 'string' && typeof value.to === 'string' && Number.isFinite(value.at);
    case 'remove':
      return typeof value.key === 'string';
    default:
      return false;
  }
}
