// Settings of the embedded PostgreSQL server.

const MEBIBYTE = 1024 * 1024;

export interface SettingsInput {
  /** Bytes of memory this machine or container may use. */
  readonly memory: number;
  readonly socketDirectory: string;
  /** PostgreSQL records it, so that others can see whether the owner still runs. */
  readonly owner: string;
  /** False only in tests: commits then survive a crash of the service, not of the machine. */
  readonly durable: boolean;
}

/** Setting name -> value, for the command line, so that an upgrade of the service upgrades them too. */
export function serverSettings(input: SettingsInput): Record<string, string> {
  return {
    'freehold.owner': input.owner,
    listen_addresses: '',
    unix_socket_directories: input.socketDirectory,
    unix_socket_permissions: '0700',
    max_connections: '60',
    // A server that restarts itself waits for ever if its recovery fails (PostgreSQL 18.4). One that ends is restarted by
    // its supervisor, as often as it takes.
    restart_after_crash: 'off',
    ...memorySettings(input.memory),
    ...(input.durable ? DURABLE : NOT_DURABLE),
    // Flash storage: a random page costs about as much as the next one.
    random_page_cost: '1.1',
    effective_io_concurrency: '64',
    // Short queries only: compiling them or spreading one over processes costs more than it gains.
    jit: 'off',
    max_parallel_workers_per_gather: '0',
    // An abandoned read ends because its connection is closed, which the server has to check for.
    client_connection_check_interval: '500ms',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    autovacuum_naptime: '15s',
    lc_messages: 'C',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    // Rows and parameters may contain secrets.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
  };
}

/**
 * Linux's C library returns freed memory to the kernel at once, and planning frees more than it keeps: a session would fetch
 * the same pages again for each statement. Bytes; without effect on other systems.
 */
export const MALLOC_ENVIRONMENT = {
  MALLOC_TOP_PAD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '8388608',
  // No longer adjusted automatically once any of the others is set.
  MALLOC_MMAP_THRESHOLD_: '4194304',
};

const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
/**
 * Few buffers: each database that is dropped is looked for in all of them. Many connections: several services share it, and
 * ten thousand are opened in a run, whose passwords are no secret.
 */
const NOT_DURABLE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '256MB',
  scram_iterations: '1',
};

function memorySettings(memory: number): Record<string, string> {
  const total = Math.floor(memory / MEBIBYTE);
  const shared = clamp(Math.floor(total / 4), 32, total >= 16_384 ? 2048 : 1024);
  return {
    shared_buffers: `${shared}MB`,
    effective_cache_size: `${Math.max(shared, Math.floor(total / 2))}MB`,
    work_mem: `${clamp(Math.floor(total / 256), 4, 32)}MB`,
    maintenance_work_mem: `${clamp(Math.floor(total / 16), 32, 512)}MB`,
  };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
