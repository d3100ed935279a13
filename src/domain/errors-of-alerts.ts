/** The part of the table of errors that has to do with alerts and whom they are told. */
import type { ErrorEntry } from './errors.js'

export const ALERT_ERRORS = {
  unknown_alert: {
    status: 404,
    message: 'There is no alert[ {alert}].',
    remedy: 'Look at `holdfast alerts list --all`; one that has been clear for long is forgotten.',
  },
  unknown_alert_rule: {
    status: 404,
    message: 'There is no rule[ "{rule}"][. Did you mean "{nearest}"?].',
    remedy: 'Use one of those that `holdfast alerts rules` shows.',
  },
  unknown_webhook: {
    status: 404,
    message: 'There is no webhook[ {webhook}].',
    remedy: 'Check the id with `holdfast webhooks list`.',
  },
  webhook_name_taken: {
    status: 409,
    message: 'There is a webhook[ named "{name}"] already.',
    remedy: 'Remove that one first, or choose another name.',
  },
  webhook_refused: {
    status: 400,
    message: 'This address cannot be a webhook[: {problem}].',
    remedy:
      'Use https and a public address; one inside your network must be in webhooks.allow (HOLDFAST_WEBHOOKS_ALLOW) of the processes that send.',
  },
} as const satisfies Record<string, ErrorEntry>
