// Writes docs/errors.md from the compiled table of errors. Run it after a build; a test fails while the page is stale.
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** @param {Record<string, { status: number, message: string, remedy: string }>} errors */
export function errorsPage(errors) {
  const entries = Object.entries(errors).sort(([a], [b]) => (a < b ? -1 : 1))
  const row = ([code, { message, remedy }]) =>
    `| <a id="${code}"></a>\`${code}\` | ${cell(meaning(message))} | ${cell(remedy)} |`
  const statuses = [...new Set(entries.map(([, { status }]) => status))].sort((a, b) => a - b)
  const sections = statuses.map((status) => {
    const rows = entries.filter(([, entry]) => entry.status === status).map(row)
    return [`## ${status} ${NAMES[status]}\n`, '| code | meaning | remedy |\n|---|---|---|', ...rows].join(
      '\n',
    )
  })
  return `# Errors

<!-- Generated from src/domain/errors/error-table.ts. To renew it: npm run generate -->

Every error has a code that never changes its meaning, a message, and a remedy. The library throws
\`HoldfastError\` with \`code\`, \`status\`, \`message\`, \`remedy\` and \`details\`; the HTTP API answers with the status
and [a problem document](http.md) of the type \`urn:holdfast:problem:<code>\`; the command line prints message and
remedy, or one JSON object with \`--json\`. A message may be more specific than here: \`…\` stands for what it
names.

The errors are grouped by HTTP status. With 4xx the caller can correct the request; with 5xx the server or its
database has a problem.

${sections.join('\n\n')}
`
}

const NAMES = {
  400: 'Bad request',
  401: 'No valid key',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  408: 'Request timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition failed',
  413: 'Too large',
  415: 'Unsupported media type',
  421: 'Wrong host',
  422: 'Cannot be processed',
  429: 'Too many',
  431: 'Headers too large',
  500: 'Internal error',
  501: 'Not supported',
  502: 'Bad gateway',
  503: 'Unavailable',
  504: 'Timeout',
}

/** The message without the parts that depend on details. */
function meaning(message) {
  return message
    .replace(/\[[^[\]{}]*\{\w+\}[^[\]{}]*\]/g, '')
    .replace(/\{\w+\}/g, '…')
    .replace(/([.?!])\.$/, '$1')
    .trim()
}

const cell = (text) => text.replaceAll('|', '\\|').replace(/<([\w ]+)>/g, '&lt;$1&gt;')

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { ERRORS } = await import('../dist/domain/errors/errors.js')
  writeFileSync(new URL('../docs/errors.md', import.meta.url), errorsPage(ERRORS))
}
