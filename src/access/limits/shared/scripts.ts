// Lua of the counting server. Times are microseconds of its own clock. Slots of one name are the members of a sorted set, each with the
// time at which it is free again.

import { hash } from 'node:crypto';

export interface Script {
  readonly text: string;
  readonly sha: string;
}

const script = (text: string): Script => ({ text, sha: hash('sha1', text) });

/**
 * KEYS[1]: the mark; ARGV[1]: what it must be. The server's replication id is part of it, which is another one after a restart, and on
 * a replica that has become the primary.
 */
const CHECKED = `
local id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
if redis.call('GET', KEYS[1]) ~= ARGV[1] .. ':' .. id then return {-1} end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function text(number) return string.format('%.0f', number) end
`;

/** Slow enough to be no part of scripts that requests wait for. */
const EVICTED = `local evicted = tonumber(string.match(redis.call('INFO', 'stats'), 'evicted_keys:(%d+)'))`;

export const SCRIPTS = {
  /** ARGV: namespace, a random text, 1 to create. Returns the time, the mark without the replication id, and how many keys were evicted. */
  open: script(`
local id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
local found = redis.call('GET', KEYS[1])
local mark = found and string.match(found, '^(.*):' .. id .. '$')
if not mark or string.sub(mark, 1, #ARGV[1] + 1) ~= ARGV[1] .. ':' then
  if ARGV[3] ~= '1' then return {-1} end
  mark = ARGV[1] .. ':' .. ARGV[2]
  redis.call('SET', KEYS[1], mark .. ':' .. id)
end
local time = redis.call('TIME')
${EVICTED}
return {time[1] * 1000000 + time[2], mark, evicted}`),

  /** Returns the time, and how many keys were evicted. */
  check: script(`${CHECKED}
${EVICTED}
return {now, evicted}`),

  /** KEYS[2]: slots. ARGV: mark, quota, wanted, window, prefix, first. Returns the time, granted, free, and when one more is free. */
  take: script(`${CHECKED}
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', text(now))
local quota, wanted, window, first = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[6])
local used = redis.call('ZCARD', KEYS[2])
local granted = math.max(0, math.min(wanted, quota - used))
for at = first, first + granted - 1 do redis.call('ZADD', KEYS[2], text(now + window), ARGV[5] .. text(at)) end
if granted > 0 then redis.call('PEXPIRE', KEYS[2], math.ceil(window / 1000) + 2000) end
local over = math.max(0, used + granted - quota)
local next = redis.call('ZRANGE', KEYS[2], over, over, 'WITHSCORES')[2]
return {now, granted, math.max(0, quota - used - granted), next and (next - now) or 0}`),

  /** KEYS[2]: slots. ARGV: mark, then names and how long each is taken from now on. */
  put: script(`${CHECKED}
local longest = 0
for at = 2, #ARGV, 2 do
  local left = tonumber(ARGV[at + 1])
  longest = math.max(longest, left)
  redis.call('ZADD', KEYS[2], text(now + left), ARGV[at])
end
local kept = redis.call('PTTL', KEYS[2])
if kept < math.ceil(longest / 1000) + 2000 then redis.call('PEXPIRE', KEYS[2], math.ceil(longest / 1000) + 2000) end
return {now}`),

  /** KEYS[2]: slots. ARGV: mark, then names. */
  release: script(`${CHECKED}
for at = 2, #ARGV do redis.call('ZREM', KEYS[2], ARGV[at]) end
return {now}`),
} as const;

export type ScriptName = keyof typeof SCRIPTS;
