// What we set on every start, on the command line so that an old data folder gets new values too. The caller's come last.

const EVERYWHERE = {
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The launcher reads the log for the cause of a failed start.
  lc_messages: 'C',
  password_encryption: 'scram-sha-256',
  log_line_prefix: '%m [%p] ',
  // A line per checkpoint tells nothing in a log meant to be read after a failure.
  log_checkpoints: 'off',
}

/** Said aloud although they are the defaults: this is the promise of the embedded mode. */
export const DURABLE: Record<string, string> = {
  ...EVERYWHERE,
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
}

/** A crash of the machine may cost this data; the end of the server's process may not, so tests still see real commits. */
export const EPHEMERAL: Record<string, string> = {
  ...EVERYWHERE,
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
}
