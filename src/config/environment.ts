/** Reads the configuration from the environment: our own variables, settings under their own names, and the variables of libpq. */
import { nearest } from '../domain/nearest.js'
import { ConfigError } from './error.js'
import type { Layer, ValueWithOrigin } from './files.js'
import { type ConfigKey, envNames, KEY_NAMES, readValue } from './keys.js'
import { databaseUrlIn, type Environment } from './named-database.js'

export type { Environment }

export function readEnvironment(env: Environment): Layer {
  refuseMisspelt(env)
  const layer = new Map<ConfigKey, ValueWithOrigin>()
  for (const key of KEY_NAMES) {
    // `DATABASE_URL=` in an .env file means: none.
    const name = envNames(key).find((candidate) => env[candidate])
    if (name !== undefined) layer.set(key, { value: readValue(key, env[name], name), origin: `env ${name}` })
  }
  const named = layer.has('database.url') ? undefined : databaseUrlIn(env)
  if (named !== undefined) layer.set('database.url', { value: named.url, origin: `env ${named.name}` })
  return layer
}

/** Variables that are not keys of the configuration and are read elsewhere. */
const OTHERS = ['HOLDFAST_CONFIG', 'HOLDFAST_SERVER', 'HOLDFAST_KEY', 'HOLDFAST_APP_VERSION']

/**
 * Refuses a variable whose name is one typing mistake away from one of ours, and ignores all others: Kubernetes sets HOLDFAST_PORT and
 * HOLDFAST_SERVICE_HOST in every pod if there is a service named holdfast.
 */
function refuseMisspelt(env: Environment): void {
  const known = [...new Set([...KEY_NAMES.flatMap(envNames), ...OTHERS])]
  for (const name of Object.keys(env)) {
    if (!name.startsWith('HOLDFAST_') || known.includes(name) || INFRASTRUCTURE.test(name)) continue
    const candidate = nearest(
      name.slice(PREFIX),
      known.filter((each) => each.startsWith('HOLDFAST_')).map((each) => each.slice(PREFIX)),
    )
    if (candidate !== null)
      throw new ConfigError(
        `There is no variable ${name}. Did you mean HOLDFAST_${candidate}?`,
        'Correct the name, or take the variable out of the environment.',
      )
  }
}

const PREFIX = 'HOLDFAST_'.length
const INFRASTRUCTURE = /^HOLDFAST_(PORT|SERVICE_|.*_(TCP|UDP)(_|$)|TEST_|WORKER_CHILD)/
