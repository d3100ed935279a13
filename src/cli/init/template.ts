/**
 * The files of a new app. The template is a working app in `templates/app`, with the name `holdfast-app`; only names and the version of
 * Holdfast are replaced. npm leaves files like .gitignore out of packages, so these have no dot in the template.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PACKAGE_VERSION } from '../../database/package.js'
import { projectName } from './name.js'

export interface TemplateFile {
  /** From the folder of the app, with slashes. */
  readonly path: string
  readonly text: string
}

const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url))
const TEMPLATE = join(PACKAGE, 'templates', 'app')
const DOTTED = ['gitignore', 'dockerignore', 'env.example']
const TEMPLATE_NAME = /\bholdfast-app\b/g

export function templateFiles(name: string, holdfast: string): TemplateFile[] {
  const paths = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(TEMPLATE, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    // What a trial of the template leaves behind.
    .filter((path) => !/^(node_modules|dist|\.holdfast)\//.test(path))
  return paths.sort().map((path) => {
    const text = readFileSync(join(TEMPLATE, path), 'utf8')
    const given = path === 'compose.yaml' ? projectName(name) : name
    const named = text.replace(TEMPLATE_NAME, () => given)
    return {
      path: DOTTED.includes(path) ? `.${path}` : path,
      text: path === 'package.json' ? withDependency(named, holdfast) : named,
    }
  })
}

function withDependency(text: string, holdfast: string): string {
  const content = JSON.parse(text) as { dependencies: Record<string, string> }
  content.dependencies.holdfast = holdfast
  return `${JSON.stringify(content, null, 2)}\n`
}

/** The version that runs this command; from a clone of the repository, the clone. */
export function ownPackage(folder: string): string {
  if (PACKAGE.split(sep).includes('node_modules')) return `^${PACKAGE_VERSION}`
  return `file:${relative(folder, dirname(join(PACKAGE, 'package.json'))).replaceAll(sep, '/')}`
}
