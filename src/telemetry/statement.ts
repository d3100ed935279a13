/**
 * Describes a statement of the store by two labels. For a verb of the engine they are `call` and its name; for any other statement, its first
 * keyword and the view that it reads.
 */
export interface Statement {
  readonly operation: string
  readonly table: string
}

/** The text of a search depends on its filter, so there are many texts for one operation. */
const REMEMBERED_MAX = 1_000
const remembered = new Map<string, Statement>()

export function statementOf(text: string): Statement {
  const known = remembered.get(text)
  if (known !== undefined) return known
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  const read = readStatement(text)
  remembered.set(text, read)
  return read
}

function readStatement(text: string): Statement {
  const [, relation] = /\bholdfast\.(\w+)/.exec(text) ?? []
  const [, verb] = /\bholdfast\.(\w+)\s*\(/.exec(text) ?? []
  // If a view is read, functions in the same statement are ignored.
  const readsView = /\bfrom\s+holdfast\.(\w+)\b(?!\s*\()/.exec(text)?.[1]
  if (readsView === undefined && verb !== undefined) return { operation: 'call', table: verb }
  const [, keyword = 'other'] = /^\W*(\w+)/.exec(text) ?? []
  const operation = OPERATIONS.has(keyword.toLowerCase()) ? keyword.toLowerCase() : 'other'
  return { operation, table: readsView ?? relation ?? 'none' }
}

const OPERATIONS = new Set(['select', 'with', 'insert', 'update', 'delete'])

/** The same as one label: the verb or the view, or the operation if there is neither. */
export function queryType({ operation, table }: Statement): string {
  return table === 'none' ? operation : table
}
