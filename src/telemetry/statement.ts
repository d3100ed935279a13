/**
 * What a statement of the store does, in two words that fit into labels. A verb of the engine is called (`call`, its name); anything else
 * begins with what it does and names the view it reads.
 */
export interface Statement {
  readonly operation: string
  readonly table: string
}

/** Searches are written as they are asked for: their texts are many, what they do is not. */
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
  // Where a view is read, the functions beside it are details.
  const readsView = /\bfrom\s+holdfast\.(\w+)\b(?!\s*\()/.exec(text)?.[1]
  if (readsView === undefined && verb !== undefined) return { operation: 'call', table: verb }
  const [, word = 'other'] = /^\W*(\w+)/.exec(text) ?? []
  const operation = OPERATIONS.has(word.toLowerCase()) ? word.toLowerCase() : 'other'
  return { operation, table: readsView ?? relation ?? 'none' }
}

const OPERATIONS = new Set(['select', 'with', 'insert', 'update', 'delete'])

/** The same in one word: the verb or the view, or what is done where there is neither. */
export function queryType({ operation, table }: Statement): string {
  return table === 'none' ? operation : table
}
