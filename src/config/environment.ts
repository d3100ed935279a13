/** What the environment says: our own names, the documents' names for settings, and those every Postgres program knows. */
import { nearest } from '../domain/nearest.js'
import { ConfigError } from './error.js'
import type { Given, Layer } from './files.js'
import { envNames, KEY_NAMES, type KeyName, readValue } from './keys.js'
import { databaseUrlIn, type Environment } from './named-database.js'

export type { Environment }

export function readEnvironment(env: Environment): Layer {
  refuseMisspelt(env)
  const layer = new Map<KeyName, Given>()
  for (const key of KEY_NAMES) {
    // `DATABASE_URL=` in an .env file means: none.
    const name = envNames(key).find((candidate) => env[candidate])
    if (name !== undefined) layer.set(key, { value: readValue(key, env[name], name), origin: `env ${name}` })
  }
  const named = layer.has('database.url') ? undefined : databaseUrlIn(env)
  if (named !== undefined) layer.set('database.url', { value: named.url, origin: `env ${named.name}` })
  return layer
}

/** Not keys of the configuration, but read elsewhere. */
const OTHERS = ['HOLDFAST_CONFIG', 'HOLDFAST_SERVER', 'HOLDFAST_KEY']

/**
 * A name a typing mistake away from one of ours is refused; any other is left alone. Kubernetes, for one, sets
 * HOLDFAST_PORT and HOLDFAST_SERVICE_HOST in every pod beside a service of that name.
 */
function refuseMisspelt(env: Environment): void {
  const known = [...new Set([...KEY_NAMES.flatMap(envNames), ...OTHERS])]
  for (const name of Object.keys(env)) {
    if (!name.startsWith('HOLDFAST_') || known.includes(name) || INFRASTRUCTURE.test(name)) continue
    const word = nearest(
      name.slice(PREFIX),
      known.filter((each) => each.startsWith('HOLDFAST_')).map((each) => each.slice(PREFIX)),
    )
    if (word !== null)
      throw new ConfigError(
        `There is no variable ${name}. Did you mean HOLDFAST_${word}?`,
        'Correct the name, or take the variable out of the environment.',
      )
  }
}

const PREFIX = 'HOLDFAST_'.length
const INFRASTRUCTURE = /^HOLDFAST_(PORT|SERVICE_|.*_(TCP|UDP)(_|$)|TEST_|WORKER_CHILD)/
