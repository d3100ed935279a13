// Postgres settings for every start, on the command line so that an old data folder gets new values too. The caller's settings come last.

const EVERYWHERE = {
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The launcher reads the log for the cause of a failed start.
  lc_messages: 'C',
  password_encryption: 'scram-sha-256',
  log_line_prefix: '%m [%p] ',
  // One line per checkpoint would be noise in a log that is read after a failure.
  log_checkpoints: 'off',
}

export const EMBEDDED_CLUSTER = 'holdfast embedded'

/** The defaults, set explicitly: durability is the promise of the embedded mode. */
export const DURABLE: Record<string, string> = {
  ...EVERYWHERE,
  // `holdfast move` recognises an embedded server by it.
  cluster_name: EMBEDDED_CLUSTER,
  // The default begins with the schema of the user's name. That is holdfast here, so tables of an app would land among those of Holdfast.
  search_path: 'public',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
}

/** A crash of the machine may lose this data; the end of the server process may not, so tests still see real commits. */
export const EPHEMERAL: Record<string, string> = {
  ...EVERYWHERE,
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
}
