/** Alerts: what the system found wrong with itself, who wants to hear nothing of it for a while, and what counts as wrong. */
import {
  type ALERT_EVENTS,
  ALERT_RULE_NAMES,
  ALERT_RULES,
  type AlertFacts,
  type AlertRuleName,
  type AlertState,
  alertSentence,
} from '../domain/alerts.js'
import { holdfastError } from '../domain/errors.js'
import { nearest } from '../domain/nearest.js'
import type { Database } from './database.js'
import { type Act, actValues } from './operate.js'
import { selectRows } from './rows.js'

export interface Alert extends AlertFacts {
  readonly id: number
  /** '*' is the installation itself. */
  readonly tenant: string
  readonly state: AlertState
  readonly value: number
  readonly threshold: number
  readonly summary: string
  /** Since when it is wrong; while cleared, since when it is right. */
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
  /** Those that have cleared as well. */
  readonly all?: boolean
  readonly state?: AlertState
  readonly rule?: string
  /** Those after this id. */
  readonly after?: number
  readonly limit?: number
}

/** What may be said of a rule, for all subjects of a tenant or for one; null leaves it to the settings again. */
export interface AlertRuleOptions {
  readonly enabled?: boolean | null
  readonly threshold?: number | null
  readonly forSec?: number | null
  readonly clearSec?: number | null
}

export interface AlertRuleNow {
  readonly rule: AlertRuleName
  /** '' is every subject without a row of its own. */
  readonly subject: string
  readonly enabled: boolean
  readonly threshold: number
  readonly forSec: number
  readonly clearSec: number
  readonly unit: string
  readonly of: string
  /** The setting its threshold is taken from where nobody says otherwise. */
  readonly setting: string
  readonly origin: 'setting' | 'set'
}

/** Of one answer, whatever was asked for. */
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

  /** Evaluates every rule if it is time; answers how many alerts changed, undefined when another process does this tick. */
  async check(): Promise<number | undefined> {
    const [row] = await this.#database.query<{ changed: number | null }>(
      'select holdfast.check_alerts() as changed',
    )
    return row?.changed ?? undefined
  }

  /** By id, so that a page goes on where the one before ended. */
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

  /** What happened, the newest first: to one alert, or to all of a tenant. */
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

  /** Tells nobody of it until then; answers until when. */
  async silence(
    id: number,
    { until, forMs, ...act }: Act & { until?: Date | string; forMs?: number },
  ): Promise<Date> {
    const [row] = await this.#database.query<{ until: Date }>(
      'select holdfast.silence_alert($1, $2, $3, $4, $5) as until',
      [id, until ?? null, forMs ?? null, ...actValues(act)],
    )
    return row?.until as Date
  }

  /** False: it was not silenced. */
  async unsilence(id: number, act: Act = {}): Promise<boolean> {
    const [row] = await this.#database.query<{ done: boolean }>(
      'select holdfast.unsilence_alert($1, $2, $3) as done',
      [id, ...actValues(act)],
    )
    return row?.done === true
  }

  /** Every rule as it holds for a tenant, and after it the subjects that have it otherwise. */
  async rules(tenant = 'default'): Promise<AlertRuleNow[]> {
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
      const now = (subject: string, row: AlertRuleOptions | undefined): AlertRuleNow => ({
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

  /** For one subject, or for all of them; what is left out stays. */
  async setRule(
    rule: string,
    options: AlertRuleOptions,
    { tenant = 'default', subject = '', ...act }: Act & { tenant?: string; subject?: string } = {},
  ): Promise<void> {
    const said = {
      enabled: options.enabled,
      threshold: options.threshold,
      for_sec: options.forSec,
      clear_sec: options.clearSec,
    }
    await this.#database.query('select holdfast.set_alert_rule($1, $2, $3, $4::text::jsonb, $5, $6)', [
      tenant,
      checkRule(rule),
      subject,
      JSON.stringify(said),
      ...actValues(act),
    ])
  }

  /** For metrics: how many stand, and what each rule looks at now, of at most a thousand subjects. */
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
