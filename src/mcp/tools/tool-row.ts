// Row of the tool table: a tool as data, on top of the route that does its work.

import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { ShortForm } from './projection.ts';
import type { ResourceId } from './resource-link.ts';

/** Annotations of a tool that only reads what this service holds. */
export const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** An answer, or a part of one. */
export type Json = Readonly<Record<string, unknown>>;

export type Detail = 'short' | 'full';

export interface ToolRow {
  readonly name: string;
  readonly title: string;
  /** When to use it, and what to call next. */
  readonly description: string;
  /** `operation` of the route that does the work. */
  readonly operation: string;
  /** Parameters of the route that agents see, beside those of its path; members of its body likewise. */
  readonly shown: readonly string[];
  /** Why a parameter is not offered, where the REST API is not the remedy. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Defaults of parameters that differ from the route's. */
  readonly defaults?: Json;
  /** Defaults that depend on the arguments sent, by the names of the parameters. */
  readonly defaultsFor?: (args: Json, detail: Detail) => Json;
  /** Descriptions in place of the route's. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** Members to show of an argument that is an object with very many. */
  readonly watched?: readonly string[];
  /** Valid arguments. */
  readonly examples: readonly Json[];
  readonly annotations: ToolAnnotations;
  /** What short records leave out; absent: the tool has no `detail`. */
  readonly short?: ShortForm;
  /** The answer where the route's is empty. */
  readonly emptyAnswer?: (args: Json) => Json;
  /** The member with the rows that `limit` bounds. */
  readonly rows?: string;
  /** Members that every answer has. */
  readonly output: readonly string[];
  /** The answer in words, from its projection; `now` in milliseconds, for ages. */
  readonly text: (answer: Json, now: number) => string;
  /** Whether the MCP App shows its results to people, in hosts that can. */
  readonly hasApp?: true;
  /** What the answer is about, for links. */
  readonly links?: (answer: Json) => readonly ResourceId[];
  /** The view of the explorer that shows the answer of a query, below the public URL; null: none does. */
  readonly view?: (answer: Json, query: Json) => string | null;
}
