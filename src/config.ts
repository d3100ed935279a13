/** `holdfast/config`: reads the configuration as the command line does, from holdfast.toml and the environment. */
export { webhookOptionsOf, workOptionsOf } from './app/configured.js'
export { ConfigError } from './config/error.js'
export type { ConfigKey } from './config/keys.js'
export { type Config, type ConfigOptions, loadConfig } from './config/resolve.js'
