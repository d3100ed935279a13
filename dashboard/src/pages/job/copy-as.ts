/** The job as a command to paste: curl, command line, SQL. Values are quoted for the language they go into. */
import { writeJson } from '../../api/json.js'
import type { Job } from './timeline.js'

/** `'` ends a quoted word of a shell, so it is written outside of one. */
export function shellQuoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

export function sqlQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** What an enqueue takes besides queue, kind and input. Key and times are left out, as in a clone. */
function optionsOf(job: Job): Record<string, unknown> {
  return {
    ...(job.target === null ? {} : { target: job.target }),
    ...(job.initial_priority === 0 ? {} : { priority: job.initial_priority }),
    ...(job.labels === null || Object.keys(job.labels).length === 0 ? {} : { labels: job.labels }),
  }
}

/** `base` is the address of the server, with its slash. */
export function copyForms(job: Job, base: string): Record<string, string> {
  const input = writeJson(job.input ?? null)
  const options = optionsOf(job)
  const body = writeJson({ queue: job.queue, kind: job.kind, input: job.input ?? null, ...options })
  const flags = [
    ...(job.target === null ? [] : [` --target ${shellQuoted(job.target)}`]),
    ...(job.initial_priority === 0 ? [] : [` --priority ${job.initial_priority}`]),
  ].join('')
  const words = [job.queue, job.kind, input].map(shellQuoted).join(' ')
  const values = [job.queue, job.kind, input, writeJson(options)].map(sqlQuoted).join(', ')
  return {
    'curl, read it': `curl ${shellQuoted(`${base}api/v1/jobs/${job.id}`)}`,
    'curl, enqueue it again': [
      `curl -X POST ${shellQuoted(`${base}api/v1/jobs`)}`,
      `  -H 'content-type: application/json'`,
      `  -d ${shellQuoted(body)}`,
    ].join(' \\\n'),
    'CLI, explain it': `holdfast jobs explain ${job.id}`,
    'CLI, enqueue it again': `holdfast enqueue ${words}${flags}`,
    'SQL, explain it': `select * from holdfast.explain(${job.id});`,
    'SQL, enqueue it again': `select holdfast.enqueue(${values}) as id;`,
  }
}
