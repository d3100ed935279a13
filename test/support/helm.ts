/**
 * Renders the templates of a Helm chart. It implements the part of Go's text/template and of Helm's functions that deploy/helm uses, and
 * refuses everything else, so that a template it renders means the same to Helm.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'

type Values = Record<string, unknown>
type Node =
  | { readonly text: string }
  | { readonly output: string }
  | { readonly block: 'if' | 'with' | 'range'; readonly of: string; readonly body: Node[] }

export interface Rendered {
  readonly file: string
  readonly text: string
}

export function renderChart(folder: string, values: Values, release = 'demo'): Rendered[] {
  const chart = parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8'))
  const defaults = parse(readFileSync(join(folder, 'values.yaml'), 'utf8'))
  const root = {
    Values: merged(defaults, values),
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: release, Namespace: 'default', Service: 'Helm' },
  }
  const files = readdirSync(join(folder, 'templates')).sort()
  const partials = new Map<string, Node[]>()
  const texts = files.map((file) => ({ file, text: readFileSync(join(folder, 'templates', file), 'utf8') }))
  const parsed = texts.map(({ file, text }) => ({ file, nodes: parsedTemplate(text, partials) }))
  const render = new Renderer(root, partials)
  return parsed
    .filter(({ file }) => !file.startsWith('_'))
    .map(({ file, nodes }) => ({ file, text: render.nodes(nodes, root) }))
}

function merged(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over === undefined ? base : over
  const names = new Set([...Object.keys(base), ...Object.keys(over)])
  return Object.fromEntries([...names].map((name) => [name, merged(base[name], over[name])]))
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Text and actions in turn; `{{-` and `-}}` take the white space beside them. */
function tokens(template: string): { text?: string; action?: string }[] {
  const found: { text?: string; action?: string }[] = []
  let from = 0
  let trims = false
  const addText = (text: string, trimsEnd: boolean) => {
    const start = trims ? text.trimStart() : text
    found.push({ text: trimsEnd ? start.trimEnd() : start })
  }
  for (const match of template.matchAll(/\{\{(- )?\s*([\s\S]*?)\s*( -)?\}\}/g)) {
    addText(template.slice(from, match.index), match[1] !== undefined)
    found.push({ action: match[2] ?? '' })
    trims = match[3] !== undefined
    from = match.index + match[0].length
  }
  addText(template.slice(from), false)
  return found
}

function parsedTemplate(template: string, partials: Map<string, Node[]>): Node[] {
  const list = tokens(template)
  const body = (): Node[] => {
    const nodes: Node[] = []
    for (;;) {
      const token = list.shift()
      if (token === undefined || token.action === 'end') return nodes
      if (token.text !== undefined) nodes.push({ text: token.text })
      const action = token.action
      if (action === undefined) continue
      const [, keyword, rest = ''] = /^(if|with|range|define)\s+([\s\S]+)$/.exec(action) ?? []
      if (keyword === 'define') partials.set(JSON.parse(rest), body())
      else if (keyword !== undefined)
        nodes.push({ block: keyword as 'if' | 'with' | 'range', of: rest, body: body() })
      else if (/^(else|template|block|break|continue)\b|:=|^\/\*/.test(action))
        throw new Error(`this renderer does not know {{ ${action} }}`)
      else nodes.push({ output: action })
    }
  }
  return body()
}

class Renderer {
  readonly #root: Values
  readonly #partials: Map<string, Node[]>

  constructor(root: Values, partials: Map<string, Node[]>) {
    this.#root = root
    this.#partials = partials
  }

  nodes(nodes: readonly Node[], dot: unknown): string {
    return nodes.map((node) => this.#node(node, dot)).join('')
  }

  #node(node: Node, dot: unknown): string {
    if ('text' in node) return node.text
    if ('output' in node) return String(this.#pipeline(node.output, dot))
    const value = this.#pipeline(node.of, dot)
    if (node.block === 'range')
      return (value as unknown[]).map((each) => this.nodes(node.body, each)).join('')
    if (!isTrue(value)) return ''
    return this.nodes(node.body, node.block === 'with' ? value : dot)
  }

  /** `a | f x | g`: the value of each command is the last argument of the next. */
  #pipeline(text: string, dot: unknown): unknown {
    const commands = text.split(/\s*\|\s*/)
    return commands.reduce<unknown[]>((piped, command) => [this.#command(command, dot, piped)], [])[0]
  }

  #command(text: string, dot: unknown, piped: readonly unknown[]): unknown {
    const [first = '', ...rest] = text.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? []
    if (!/^[a-zA-Z]/.test(first)) return this.#operand(first, dot)
    const args = [...rest.map((operand) => this.#operand(operand, dot)), ...piped]
    if (first === 'include') {
      const partial = this.#partials.get(String(args[0]))
      if (partial === undefined) throw new Error(`there is no template ${args[0]}`)
      return this.nodes(partial, args[1])
    }
    const call = FUNCTIONS[first]
    if (call === undefined) throw new Error(`this renderer does not know the function ${first}`)
    return call(...args)
  }

  #operand(text: string, dot: unknown): unknown {
    if (text.startsWith('"')) return JSON.parse(text)
    if (/^\d+$/.test(text)) return Number(text)
    const [start, path] = text.startsWith('$') ? [this.#root, text.slice(1)] : [dot, text]
    if (path === '.' || path === '') return start
    if (!/^(\.\w+)+$/.test(path)) throw new Error(`this renderer does not know ${text}`)
    return path
      .slice(1)
      .split('.')
      .reduce<unknown>((value, name) => {
        if (!isObject(value) || !Object.hasOwn(value, name)) throw new Error(`there is no ${text}`)
        return value[name]
      }, start)
  }
}

/** What Go counts as true: everything but false, 0, and what is empty. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value)
}

// biome-ignore lint/suspicious/noExplicitAny: each takes what its template gives it
const FUNCTIONS: Record<string, (...args: any[]) => unknown> = {
  add: (...numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0),
  default: (other: unknown, value: unknown) => (isTrue(value) ? value : other),
  join: (separator: string, list: unknown[]) => list.join(separator),
  list: (...items: unknown[]) => items,
  nindent: (spaces: number, text: string) => `\n${text.replace(/^/gm, ' '.repeat(spaces))}`,
  not: (value: unknown) => !isTrue(value),
  quote: (value: unknown) => JSON.stringify(String(value)),
  required: (message: string, value: unknown) => {
    if (value === undefined || value === null || value === '') throw new Error(message)
    return value
  },
  toYaml: (value: unknown) => stringify(value, { lineWidth: 0 }).trimEnd(),
}
