/** A schema as a table of its fields: what each is called, what it takes, what it means. */
import { type Html, html } from './html.js'
import { type Schema, shapeName } from './schema.js'

interface Field {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  /** Of a parameter: the part of the request it stands in. */
  readonly where?: string
}

/** Objects inside of objects are shown in place down to here. */
const DEPTH_MAX = 3

export function fieldTable(fields: readonly Field[]): Html {
  const rows = fields.flatMap((field) => below(field)).map(fieldRow)
  return html`<table><thead><tr><th>field</th><th>takes</th><th>meaning</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** What a body or an answer looks like: its fields, or in words what it is. Of an answer everything is there, so nothing is marked. */
export function shapeOf(schema: Schema, isAnswer = false): Html {
  if (schema.properties !== undefined)
    return fieldTable(fieldsOf(isAnswer ? { ...schema, required: [] } : schema))
  return html`<p>${typeOf(schema)}${schema.description !== undefined && html`: ${schema.description}`}</p>`
}

function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name: prefix + name,
    schema,
    required: required.includes(name),
  }))
}

/** The field, and those inside of it. */
function below(field: Field, depth = 1): Field[] {
  const { name, schema } = field
  const [inside, prefix] = schema.items?.properties ? [schema.items, `${name}[].`] : [schema, `${name}.`]
  if (depth >= DEPTH_MAX || inside.properties === undefined) return [field]
  return [field, ...fieldsOf(inside, prefix).flatMap((each) => below(each, depth + 1))]
}

function fieldRow({ name, schema, required, where }: Field): Html {
  const notes = [
    schema.description,
    schema.default !== undefined && `${JSON.stringify(schema.default)} if not given`,
  ]
  return html`<tr><td class="lead"><code>${name}</code>${required && html` <span class="need">required</span>`}${where && html`<small>${where}</small>`}</td>
<td data-label="takes"><span>${typeOf(schema)}</span></td><td data-label="meaning" class="note">${notes.filter(Boolean).join('; ')}</td></tr>\n`
}

function typeOf(schema: Schema): Html {
  const { $ref, anyOf, type, items, additionalProperties } = schema
  if ($ref !== undefined) return html`<a href="#shape-${shapeName($ref)}">${shapeName($ref)}</a>`
  if (anyOf !== undefined) return joined(anyOf.map(typeOf), ' or ')
  if (schema.enum !== undefined)
    return joined(
      schema.enum.map((word) => html`<code>${word}</code>`),
      ' ',
    )
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (type === 'array')
    return html`list of ${items === undefined ? 'anything' : typeOf(items)}${bounds(schema)}`
  if (typeof additionalProperties === 'object')
    return html`object, each value ${typeOf(additionalProperties)}`
  return html`${WORDS[type ?? ''] ?? type ?? 'any JSON'}${bounds(schema)}`
}

const WORDS: Readonly<Record<string, string>> = {
  integer: 'whole number',
  string: 'text',
  boolean: 'true or false',
}

function bounds({ format, minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): string {
  if (format === 'date-time') return ', a time with its zone'
  const [least, most, unit] =
    maxLength !== undefined
      ? [minLength, maxLength, ' characters']
      : [minimum ?? minItems, maximum ?? maxItems, '']
  if (most === undefined) return least === undefined || least === 0 ? '' : `, from ${shown(least)}`
  return least === undefined || unit !== ''
    ? `, up to ${shown(most)}${unit}`
    : `, ${shown(least)} to ${shown(most)}`
}

function shown(count: number): string {
  return count.toLocaleString('en-US')
}

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, n) => html`${n > 0 && between}${part}`)}`
}
