/** Changes a search by its terms: a facet is clicked, a value is left out. Pure. */
import { literal, parseSearch, printSearch, type TextTerm } from '../../../src/search/search.js'

type Field = TextTerm['field']

/** A value as the filter has it: a pattern in most fields, plain text in some. */
function written(field: Field, value: string): string {
  return field === 'state' || field === 'id' || field === 'error' ? value : literal(value)
}

function termOf(q: string, field: Field): TextTerm | undefined {
  return parseSearch(q).filter.terms.find(
    (term): term is TextTerm =>
      term.is === 'text' && term.field === field && !term.not && term.path === undefined,
  )
}

export function hasValue(q: string, field: Field, value: string): boolean {
  return termOf(q, field)?.values.includes(written(field, value)) ?? false
}

/** Adds the value to the term of its field, or removes it; a term without values is left out. */
export function toggleValue(q: string, field: Field, value: string): string {
  const { terms } = parseSearch(q).filter
  const mine = termOf(q, field)
  const text = written(field, value)
  if (mine === undefined)
    return printSearch({ terms: [...terms, { is: 'text', field, not: false, values: [text] }] })
  const values = mine.values.includes(text)
    ? mine.values.filter((each) => each !== text)
    : [...mine.values, text]
  return printSearch({
    terms: terms.flatMap((term) =>
      term !== mine && printSearch({ terms: [term] }) !== printSearch({ terms: [mine] })
        ? [term]
        : values.length === 0
          ? []
          : [{ ...mine, values }],
    ),
  })
}
