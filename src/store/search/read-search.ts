/** Reads the text of a search, or refuses it with the place of its first mistake. */
import { holdfastError } from '../../domain/errors/errors.js'
import type { SearchFilter } from '../../search/filter.js'
import { parseSearch, type SearchProblem } from '../../search/parse.js'

export function readSearch(text: string): SearchFilter {
  const { filter, problems } = parseSearch(text)
  const [problem] = problems
  if (problem !== undefined) throw invalidSearch(problem)
  return filter
}

export function invalidSearch({ position, length, message, nearest }: SearchProblem) {
  return holdfastError('invalid_search', {
    path: '/q',
    problem: message,
    position,
    length,
    ...(nearest === undefined ? {} : { nearest }),
  })
}
