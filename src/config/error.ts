/** A configuration that cannot be used. Nothing has started yet when it is thrown. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code = 'config_invalid'

  constructor(
    message: string,
    readonly remedy: string,
    /** `usage`: it was on the command line. */
    readonly exit: 'config' | 'usage' = 'config',
  ) {
    super(message)
  }
}
