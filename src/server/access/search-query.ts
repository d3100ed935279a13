/** Reads the search of a request. Every route that takes one uses this, so that none searches what is redacted. */
import { type SearchFilter, writtenField } from '../../search/filter.js'
import { invalidSearch, readSearch } from '../../store/search/read-search.js'
import type { ServerContext } from '../context.js'

export function searchOf(server: Pick<ServerContext, 'isRedacted'>, text: string): SearchFilter {
  const filter = readSearch(text)
  for (const term of filter.terms) {
    if (term.is === 'keyword' || term.field !== 'input' || !server.isRedacted(term.path ?? [])) continue
    // A caller that may not see a value could find it by trying.
    const field = writtenField(term)
    throw invalidSearch({
      position: Math.max(text.indexOf(field), 0),
      length: field.length,
      message:
        term.path === undefined
          ? 'This server redacts parts of inputs, so only a field of them can be searched, as in input.user.id:42.'
          : `${field} is redacted on this server and cannot be searched.`,
    })
  }
  return filter
}
