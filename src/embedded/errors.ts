// Errors of the embedded Postgres. Each has a remedy; programs branch on `code` (EmbeddedUnavailable → use PGlite).
export class EmbeddedError extends Error {
  constructor(
    readonly code: 'embedded_in_use' | 'embedded_missing' | 'embedded_unavailable' | 'embedded_failed',
    message: string,
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = new.target.name
  }
}

/** Another living process owns the folder. */
export class EmbeddedInUse extends EmbeddedError {
  constructor(
    readonly dir: string,
    readonly holderPid: number,
  ) {
    super(
      'embedded_in_use',
      `${dir} is in use by process ${holderPid}`,
      `Stop process ${holderPid}, choose another folder, or connect to its running server instead of starting one.`,
    )
  }
}

/** The package with the binaries is not installed: it is an optional one, because it is larger than all others together. */
export class EmbeddedMissing extends EmbeddedError {
  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super('embedded_missing', message, remedy, options)
  }
}

/** The binaries cannot run here, or there are none for this platform; nothing is wrong with the data. */
export class EmbeddedUnavailable extends EmbeddedError {
  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super('embedded_unavailable', message, remedy, options)
  }
}

/** Postgres can run here but this folder or this start did not work; the message ends with the tail of the server's log. */
export class EmbeddedFailed extends EmbeddedError {
  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super('embedded_failed', message, remedy, options)
  }
}
