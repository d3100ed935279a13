/** The search grammar, for the server, the command line and the dashboard. */
export { type Choice, completeSearch, type SuggestedField } from './complete.js'
export type { TextTerm } from './filter.js'
export { type ParsedSearch, parseSearch, type SearchProblem } from './parse.js'
export { printSearch, printTerm } from './print.js'
export { literal } from './text-values.js'
