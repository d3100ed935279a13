/** A schema as an HTML table of its fields: name, type, meaning. */
import { type Html, html } from './html.js'
import { type Schema, shapeName } from './schema.js'

interface SchemaField {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  /** For a parameter: path, query or header. */
  readonly where?: string
}

/** Nested objects are listed in place down to this depth. */
const DEPTH_MAX = 3

export function fieldTable(fields: readonly SchemaField[]): Html {
  const rows = fields.flatMap((field) => withNested(field)).map(fieldRow)
  return html`<table><thead><tr><th>field</th><th>type</th><th>meaning</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** The fields of a body, or its type if it has none. In a response all fields are present, so none is marked as required. */
export function shapeOf(schema: Schema, isResponse = false): Html {
  if (schema.properties !== undefined)
    return fieldTable(fieldsOf(isResponse ? { ...schema, required: [] } : schema))
  return html`<p>${typeOf(schema)}${schema.description !== undefined && html`: ${schema.description}`}</p>`
}

function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): SchemaField[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name: prefix + name,
    schema,
    required: required.includes(name),
  }))
}

/** The field and its nested fields. */
function withNested(field: SchemaField, depth = 1): SchemaField[] {
  const { name, schema } = field
  const [inside, prefix] = schema.items?.properties ? [schema.items, `${name}[].`] : [schema, `${name}.`]
  if (depth >= DEPTH_MAX || inside.properties === undefined) return [field]
  return [field, ...fieldsOf(inside, prefix).flatMap((each) => withNested(each, depth + 1))]
}

function fieldRow({ name, schema, required, where }: SchemaField): Html {
  const notes = [
    schema.description,
    schema.default !== undefined && `${JSON.stringify(schema.default)} by default`,
  ]
  return html`<tr><td class="lead"><code>${name}</code>${required && html` <span class="need">required</span>`}${where && html`<small>${where}</small>`}</td>
<td data-label="type"><span>${typeOf(schema)}</span></td><td data-label="meaning" class="note">${notes.filter(Boolean).join('; ')}</td></tr>\n`
}

function typeOf(schema: Schema): Html {
  const { $ref, anyOf, type, items, additionalProperties } = schema
  if ($ref !== undefined) return html`<a href="#shape-${shapeName($ref)}">${shapeName($ref)}</a>`
  if (anyOf !== undefined) return joined(anyOf.map(typeOf), ' or ')
  if (schema.enum !== undefined)
    return joined(
      schema.enum.map((value) => html`<code>${value}</code>`),
      ' ',
    )
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (type === 'array')
    return html`list of ${items === undefined ? 'anything' : typeOf(items)}${bounds(schema)}`
  if (typeof additionalProperties === 'object')
    return html`object, each value ${typeOf(additionalProperties)}`
  return html`${TYPE_LABELS[type ?? ''] ?? type ?? 'any JSON'}${bounds(schema)}`
}

const TYPE_LABELS: Readonly<Record<string, string>> = {
  integer: 'whole number',
  string: 'text',
  boolean: 'true or false',
}

function bounds({ format, minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): string {
  if (format === 'date-time') return ', a time with its zone'
  const [min, max, unit] =
    maxLength !== undefined
      ? [minLength, maxLength, ' characters']
      : [minimum ?? minItems, maximum ?? maxItems, '']
  if (max === undefined) return min === undefined || min === 0 ? '' : `, from ${formatted(min)}`
  return min === undefined || unit !== ''
    ? `, up to ${formatted(max)}${unit}`
    : `, ${formatted(min)} to ${formatted(max)}`
}

function formatted(count: number): string {
  return count.toLocaleString('en-US')
}

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, n) => html`${n > 0 && between}${part}`)}`
}
