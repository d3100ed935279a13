/**
 * Validates the input of a job twice: at enqueue, so that the caller gets the error, and at run, because the
 * row may be older than the program.
 *
 * The database stores the input as the caller passed it, not as the schema transformed it. So a schema that
 * turns text into a Date does so at run, and a new default applies to old rows. At enqueue the input is
 * validated in the form that the database will return: a Date for a schema that expects a Date is refused at
 * once, instead of failing later as text.
 */
import { holdfastError } from '../domain/errors/errors.js'
import { checkJson } from '../domain/validate.js'
import type { SchemaIssue, StandardSchema } from './standard-schema.js'

/** The input as handlers see it; refused with the path of the first mistake. Answers at once where the schema does. */
export function checkInput<Output>(
  schema: StandardSchema<unknown, Output> | undefined,
  value: unknown,
  path = '/input',
): Output | Promise<Output> {
  if (schema === undefined) return value as Output
  const outcome = value === null ? withoutInput(schema) : schema['~standard'].validate(value)
  const judge = (validated: Awaited<typeof outcome>): Output => {
    if (validated.issues === undefined) return validated.value
    throw refusal(validated.issues, path)
  }
  return outcome instanceof Promise ? outcome.then(judge) : judge(outcome)
}

/** An input that was left out is null in the database; a schema that takes none may say so of null or of undefined. */
function withoutInput<Output>(schema: StandardSchema<unknown, Output>): Validation<Output> {
  const { validate } = schema['~standard']
  const orUndefined = async (refused: Awaited<Validation<Output>>) => {
    if (refused.issues === undefined) return refused
    const accepted = await validate(undefined)
    return accepted.issues === undefined ? accepted : refused
  }
  const outcome = validate(null)
  if (outcome instanceof Promise) return outcome.then(orUndefined)
  return outcome.issues === undefined ? outcome : orUndefined(outcome)
}

type Validation<Output> = ReturnType<StandardSchema<unknown, Output>['~standard']['validate']>

/** The same for a value that is not stored yet. With a schema, `json` is the value as it is to be stored. */
export async function checkNewInput<Output>(
  schema: StandardSchema<unknown, Output> | undefined,
  value: unknown,
  path = '/input',
): Promise<{ readonly output: Output; readonly json?: string }> {
  if (schema === undefined) return { output: value as Output }
  const json = checkJson(value, { path })
  try {
    return { output: await checkInput(schema, JSON.parse(json), path), json }
  } catch (error) {
    const accepted = await schema['~standard'].validate(value)
    if (accepted.issues !== undefined) throw error
    throw holdfastError(
      'invalid_input',
      {
        path,
        problem:
          'the schema accepts this value but not what JSON makes of it; let it take text where you pass a Date, and so on',
      },
      { cause: error },
    )
  }
}

function refusal(issues: readonly SchemaIssue[], path: string) {
  const errors = issues.map((issue) => ({ path: path + pointer(issue), problem: issue.message }))
  return holdfastError('invalid_input', { ...(errors[0] ?? { path, problem: 'not accepted' }), errors })
}

/** RFC 6901. */
function pointer({ path = [] }: SchemaIssue): string {
  const keys = path.map((step) => (typeof step === 'object' ? step.key : step))
  return keys.map((key) => `/${String(key).slice(0, 100).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('')
}
