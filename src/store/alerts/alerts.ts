/** Alerts: list and silence them, read their history, and set the rules that raise them. */

import type { Database } from '../../database/database.js'
import {
  type ALERT_EVENTS,
  ALERT_RULE_NAMES,
  ALERT_RULES,
  type AlertFacts,
  type AlertRuleName,
  type AlertState,
  alertSentence,
} from '../../domain/alerts.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { nearest } from '../../domain/nearest.js'
import { type Attribution, attributionValues } from '../job-commands.js'
import { selectRows } from '../rows.js'

export interface Alert extends AlertFacts {
  readonly id: number
  /** '*' for an alert of the whole installation. */
  readonly tenant: string
  readonly state: AlertState
  readonly value: number
  readonly threshold: number
  readonly summary: string
  /** Since when the rule has been violated; of a cleared alert, since when it has not. */
  readonly since: Date
  readonly firedAt: Date | null
  readonly seenAt: Date
  readonly silencedUntil: Date | null
  readonly silencedBy: string | null
  readonly silenceReason: string | null
}

export interface AlertEvent extends AlertFacts {
  readonly id: number
  readonly alertId: number
  readonly at: Date
  readonly tenant: string
  readonly type: (typeof ALERT_EVENTS)[number]
  readonly actor: string | null
  readonly reason: string | null
}

export interface AlertFilter {
  readonly tenant?: string
  /** Includes cleared alerts. */
  readonly all?: boolean
  readonly state?: AlertState
  readonly rule?: string
  /** Alerts with a higher id. */
  readonly after?: number
  readonly limit?: number
}

/** Changes to a rule, for all subjects of a tenant or for one; null returns a field to the setting. */
export interface AlertRuleOptions {
  readonly enabled?: boolean | null
  readonly threshold?: number | null
  readonly forSec?: number | null
  readonly clearSec?: number | null
}

export interface AlertRule {
  readonly rule: AlertRuleName
  /** '' for every subject without its own row. */
  readonly subject: string
  readonly enabled: boolean
  readonly threshold: number
  readonly forSec: number
  readonly clearSec: number
  readonly unit: string
  readonly of: string
  /** The setting that provides the threshold when no row does. */
  readonly setting: string
  readonly origin: 'setting' | 'set'
}

/** The limit of one page. */
const ROWS_MAX = 1000

type AlertCount = Pick<Alert, 'tenant' | 'rule' | 'state'> & { readonly count: number }
type AlertValue = Pick<Alert, 'tenant' | 'rule' | 'subject' | 'value'>

const COLUMNS = `id, tenant, rule, subject, state, value, threshold, data, since, fired_at, seen_at, silenced_until, silenced_by,
  silence_reason`

export class Alerts {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Evaluates every rule if it is due; returns how many alerts changed, or undefined when another process runs this check. */
  async check(): Promise<number | undefined> {
    const [row] = await this.#database.query<{ changed: number | null }>(
      'select holdfast.check_alerts() as changed',
    )
    return row?.changed ?? undefined
  }

  /** Ordered by id, so that `after` continues a page. */
  async list(filter: AlertFilter = {}): Promise<Alert[]> {
    const rows = await selectRows<Omit<Alert, 'summary'>>(
      this.#database,
      `select ${COLUMNS} from holdfast.alerts
       where ($1::text is null or tenant = $1) and ($2::text is null and ($3 or state <> 'cleared') or state = $2)
         and ($4::text is null or rule = $4) and id > $5 order by id limit $6`,
      [
        filter.tenant ?? null,
        filter.state ?? null,
        filter.all === true,
        filter.rule === undefined ? null : checkRule(filter.rule),
        filter.after ?? 0,
        Math.min(filter.limit ?? 100, ROWS_MAX),
      ],
    )
    return rows.map(withSummary)
  }

  async get(id: number): Promise<Alert> {
    const [found] = await selectRows<Omit<Alert, 'summary'>>(
      this.#database,
      `select ${COLUMNS} from holdfast.alerts where id = $1`,
      [id],
    )
    if (found === undefined) throw holdfastError('unknown_alert', { alert: id })
    return withSummary(found)
  }

  /** Events of one alert, or of all alerts of a tenant, newest first. */
  async history(
    where: { tenant?: string; alert?: number; before?: number; limit?: number } = {},
  ): Promise<AlertEvent[]> {
    return selectRows<AlertEvent>(
      this.#database,
      `select id, alert_id, at, tenant, rule, subject, type, value, threshold, actor, reason, data from holdfast.alert_events
       where ($1::text is null or tenant = $1) and ($2::bigint is null or alert_id = $2) and ($3::bigint is null or id < $3)
       order by id desc limit $4`,
      [
        where.tenant ?? null,
        where.alert ?? null,
        where.before ?? null,
        Math.min(where.limit ?? 100, ROWS_MAX),
      ],
    )
  }

  /** Sends no notifications for an alert until then; returns when the silence ends. */
  async silence(
    id: number,
    { until, forMs, ...act }: Attribution & { until?: Date | string; forMs?: number },
  ): Promise<Date> {
    const [row] = await this.#database.query<{ until: Date }>(
      'select holdfast.silence_alert($1, $2, $3, $4, $5) as until',
      [id, until ?? null, forMs ?? null, ...attributionValues(act)],
    )
    return row?.until as Date
  }

  /** Returns false when the alert was not silenced. */
  async unsilence(id: number, act: Attribution = {}): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.silence_alert($1, null, null, $2, $3, true) is not null as done',
      [id, ...attributionValues(act)],
    )
    return row?.done === true
  }

  /** Every rule of a tenant, each followed by the subjects with their own values. */
  async rules(tenant = 'default'): Promise<AlertRule[]> {
    const [settings, set] = await Promise.all([
      selectRows<{ name: string; value: number }>(
        this.#database,
        `select name, value from holdfast.settings where name like 'ALERT\\_%'`,
      ),
      selectRows<AlertRuleOptions & { rule: string; subject: string }>(
        this.#database,
        `select rule, subject, enabled, threshold, for_sec, clear_sec from holdfast.alert_rules
         where tenant = $1 order by subject limit 10000`,
        [tenant],
      ),
    ])
    const setting = (name: string) => settings.find((row) => row.name === name)?.value as number
    return ALERT_RULE_NAMES.flatMap((rule) => {
      const { setting: name, unit, of } = ALERT_RULES[rule]
      const rows = set.filter((row) => row.rule === rule)
      const whole = rows.find((row) => row.subject === '')
      const now = (subject: string, row: AlertRuleOptions | undefined): AlertRule => ({
        rule,
        subject,
        enabled: row?.enabled ?? whole?.enabled ?? true,
        threshold: row?.threshold ?? whole?.threshold ?? setting(name),
        forSec: row?.forSec ?? whole?.forSec ?? setting('ALERT_FOR_SEC'),
        clearSec: row?.clearSec ?? whole?.clearSec ?? setting('ALERT_CLEAR_SEC'),
        unit,
        of,
        setting: name,
        origin: row === undefined ? 'setting' : 'set',
      })
      const others = rows.filter((row) => row.subject !== '')
      return [now('', whole), ...others.map((row) => now(row.subject, row))]
    })
  }

  /** Sets a rule for one subject or for all; omitted fields stay unchanged. */
  async setRule(
    rule: string,
    options: AlertRuleOptions,
    { tenant = 'default', subject = '', ...act }: Attribution & { tenant?: string; subject?: string } = {},
  ): Promise<void> {
    const changes = {
      enabled: options.enabled,
      threshold: options.threshold,
      for_sec: options.forSec,
      clear_sec: options.clearSec,
    }
    await this.#database.query('select holdfast.set_alert_rule($1, $2, $3, $4::text::jsonb, $5, $6)', [
      tenant,
      checkRule(rule),
      subject,
      JSON.stringify(changes),
      ...attributionValues(act),
    ])
  }

  /** For metrics: open alerts by state, and the current value of each rule, for at most a thousand subjects. */
  async gauges(): Promise<{ alerts: AlertCount[]; values: AlertValue[] }> {
    const [alerts, values] = await Promise.all([
      selectRows<AlertCount>(
        this.#database,
        `select tenant, rule, state, count(*) as count from holdfast.alerts where state <> 'cleared' group by tenant, rule, state
         order by tenant, rule, state limit 1000`,
      ),
      selectRows<AlertValue>(
        this.#database,
        'select tenant, rule, subject, value from holdfast.alert_gauges()',
      ),
    ])
    return { alerts, values }
  }
}

function withSummary(alert: Omit<Alert, 'summary'>): Alert {
  return { ...alert, summary: alertSentence(alert) }
}

function checkRule(rule: string): string {
  if (Object.hasOwn(ALERT_RULES, rule)) return rule
  throw holdfastError('unknown_alert_rule', {
    rule: rule.slice(0, 100),
    nearest: nearest(rule, ALERT_RULE_NAMES),
  })
}
