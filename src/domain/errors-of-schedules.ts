/** The part of the table of errors that has to do with schedules. */
import type { ErrorEntry } from './errors.js'

export const SCHEDULE_ERRORS = {
  unknown_schedule: {
    status: 404,
    message: 'There is no schedule[ "{schedule}"][. Did you mean "{nearest}"?].',
    remedy: 'Check the name with `holdfast schedules list`.',
  },
  schedule_exists: {
    status: 409,
    message: 'There is a schedule[ named "{name}"] already.',
    remedy: 'Choose another name, or change the schedule that has it.',
  },
  schedule_declared: {
    status: 409,
    message: 'A program declares the schedule[ "{schedule}"] by its name and would make it again.',
    remedy: 'Change the name in the program, start it, and delete the schedule that has the old one.',
  },
  schedule_not_declared: {
    status: 409,
    message: 'No program declares the schedule[ "{schedule}"]: there is nothing it could be again.',
    remedy: 'Say what is to change, field by field.',
  },
} as const satisfies Record<string, ErrorEntry>
