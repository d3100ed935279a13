/** Errors about alerts, webhooks, bulk operations and saved views. A part of the table in error-table.ts. */
export const OPERATE_ERRORS = {
  database_moved: {
    status: 503,
    message: 'This database[ {state} and] no longer serves jobs[; the destination is {peer}].',
    remedy:
      'Set DATABASE_URL to the new database; if the move was interrupted, run the same `holdfast move --to …` again first. To work here again: `holdfast move --undo`.',
  },
  move_unfinished: {
    status: 503,
    message: 'The copy[ of {peer}] into this database is not complete.',
    remedy: 'Run the same `holdfast move --to …` again: it continues, and ends with a comparison.',
  },
  unknown_alert: {
    status: 404,
    message: 'There is no alert[ {alert}].',
    remedy: 'Look at `holdfast alerts list --all`; alerts that cleared long ago are deleted.',
  },
  unknown_alert_rule: {
    status: 404,
    message: 'There is no rule[ "{rule}"][. Did you mean "{nearest}"?].',
    remedy: 'Use a rule that `holdfast alerts rules` lists.',
  },
  unknown_bulk: {
    status: 404,
    message: 'There is no bulk operation[ {operation}].',
    remedy: 'Check the id with `holdfast bulk list`.',
  },
  bulk_ended: {
    status: 409,
    message: 'The bulk operation[ {operation}] has ended already[: it is {state}].',
    remedy: 'Read what it did with `holdfast bulk show <id>`. Start another one for the jobs that remain.',
  },
  unknown_view: {
    status: 404,
    message: 'There is no saved view[ {view}].',
    remedy: 'List the saved views with `GET /api/v1/views`; another person may have removed it.',
  },
  view_name_taken: {
    status: 409,
    message: 'There is a saved view[ named "{name}"] already.',
    remedy: 'Change the existing view, or choose another name.',
  },
  unknown_webhook: {
    status: 404,
    message: 'There is no webhook[ {webhook}].',
    remedy: 'Check the id with `holdfast webhooks list`.',
  },
  webhook_name_taken: {
    status: 409,
    message: 'There is a webhook[ named "{name}"] already.',
    remedy: 'Remove the existing webhook first, or choose another name.',
  },
  webhook_refused: {
    status: 400,
    message: 'This address is not allowed for a webhook[: {problem}].',
    remedy:
      'Use https and a public address; one inside your network must be in webhooks.allow (HOLDFAST_WEBHOOKS_ALLOW) of the processes that send.',
  },
} as const
