/** Reads holdfast.toml and config/default.toml. Every key is checked, because a misspelt one would silently have no effect. */
import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, TomlError } from 'smol-toml'
import { nearest, suggestion } from '../domain/nearest.js'
import { SETTINGS } from '../domain/settings.js'
import { ConfigError } from './error.js'
import { type ConfigKey, type ConfigValue, KEY_NAMES, KEYS, readValue } from './keys.js'

export interface ValueWithOrigin {
  readonly value: ConfigValue
  /** For people: the flag, variable or file that sets the value. */
  readonly origin: string
}

export type Layer = ReadonlyMap<ConfigKey, ValueWithOrigin>

/** The origin of a value that is shipped with this package. */
const PACKAGED = 'default.toml of holdfast'

/** Set by the person who runs this, not shipped with Holdfast. */
export const isOwn = (origin: string): boolean => origin !== 'default' && origin !== PACKAGED

const OURS = fileURLToPath(new URL('../../config/default.toml', import.meta.url))

export interface Files {
  /** What the user wrote; undefined when there is no such file. */
  readonly own: string | undefined
  readonly defaults: string
}

/** The files that apply when started in `cwd`. A file that is given explicitly must exist; the default ones need not. */
export function findFiles(cwd: string, named: string | undefined): Files {
  const own = resolve(cwd, named ?? 'holdfast.toml')
  if (named !== undefined && !existsSync(own)) {
    throw new ConfigError(
      `There is no file ${named}.`,
      'Correct the path of --config or HOLDFAST_CONFIG, or take it away to use ./holdfast.toml.',
    )
  }
  const defaults = join(cwd, 'config', 'default.toml')
  return { own: existsSync(own) ? own : undefined, defaults: existsSync(defaults) ? defaults : OURS }
}

export function readFile(file: string, cwd: string): Layer {
  const name = shown(file, cwd)
  const layer = new Map<ConfigKey, ValueWithOrigin>()
  for (const [section, content] of Object.entries(parsed(file, name))) {
    checkSection(section, content, name)
    for (const [setting, given] of Object.entries(content as Record<string, unknown>)) {
      const key = checkKey(`${section}.${setting}`, name)
      layer.set(key, { value: readValue(key, given, `${key} in ${name}`), origin: name })
    }
  }
  return layer
}

function parsed(file: string, name: string): Record<string, unknown> {
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof TomlError) {
      const [problem = ''] = error.message.replace('Invalid TOML document: ', '').split('\n')
      throw new ConfigError(
        `${name}:${error.line}:${error.column} is not TOML: ${problem}.`,
        'Correct the file; text stands in quotes, and sections like [workers] in brackets.',
      )
    }
    throw new ConfigError(
      `${name} cannot be read: ${(error as Error).message}.`,
      'Give this user the right to read it, or name another file with --config.',
    )
  }
}

const SECTIONS = [...new Set(KEY_NAMES.map((key) => key.split('.')[0] ?? ''))]

function checkSection(section: string, content: unknown, name: string): void {
  if (
    SECTIONS.includes(section) &&
    typeof content === 'object' &&
    content !== null &&
    !Array.isArray(content)
  )
    return
  if (SECTIONS.includes(section))
    throw new ConfigError(
      `${section} in ${name} must be a section.`,
      `Write [${section}] on a line of its own.`,
    )
  const inside = KEY_NAMES.find((key) => key.endsWith(`.${section}`))
  throw new ConfigError(
    `${name} has an unknown section or key "${section}".${inside ? '' : suggestion(section, SECTIONS)}`,
    inside
      ? `Write it under [${inside.split('.')[0]}].`
      : `The sections are ${SECTIONS.map((section) => `[${section}]`).join(', ')}; see docs/configuration.md.`,
  )
}

function checkKey(written: string, name: string): ConfigKey {
  if (Object.hasOwn(KEYS, written)) return written as ConfigKey
  const [section = '', setting = ''] = written.split('.')
  if (section === 'settings' && Object.hasOwn(SETTINGS, setting)) {
    throw new ConfigError(
      `${setting} in ${name} would have no effect: the database itself decides by it.`,
      `Take it out and run \`holdfast settings set ${setting} <value>\`, which takes effect at once, everywhere.`,
    )
  }
  const near = nearest(written, KEY_NAMES)
  throw new ConfigError(
    `${name} has an unknown key "${written}".${near ? ` Did you mean "${near}"?` : ''}`,
    'Correct the key or take it out; `holdfast config print` lists all there are.',
  )
}

function shown(file: string, cwd: string): string {
  if (file === OURS) return PACKAGED
  const path = relative(cwd, file)
  return path.startsWith('..') ? file : path
}
