// The rules of Prometheus and the dashboard of Grafana that come with Holdfast, held against what a server and a worker really tell.
import { readFileSync } from 'node:fs'
import { workerMetrics } from 'holdfast/metrics'
import { expect, it } from 'vitest'
import { enqueue, nextCheck, withoutWaiting } from '../support/alerts/alert-world.js'
import { pinnedServer, type ServedWorld } from '../support/served-world.js'
import type { World } from '../support/world.js'

const text = (file: string) => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')

interface Expression {
  readonly where: string
  readonly expr: string
  /** Labels it is shown with. */
  readonly shown: string[]
}

/** The file has one shape, so that this reads it: `- alert:`, `expr:` on one line or folded, `summary:`. */
function prometheusRules() {
  const parts = text('prometheus-rules.yml')
    .split(/^ +- alert: /m)
    .slice(1)
  return parts.map((part) => {
    const [, folded, line] = /^ +expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/m.exec(part) ?? []
    const expr = (folded ?? line ?? '').replace(/\s+/g, ' ').trim()
    const [, rule = ''] = /rule: (\w+)/.exec(part) ?? []
    return {
      where: part.split('\n', 1)[0] ?? '',
      expr,
      rule,
      shown: [...part.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label ?? ''),
    }
  })
}

interface Panel {
  readonly title: string
  readonly targets: { expr: string; legendFormat: string }[]
}

function dashboard(): { panels: Panel[]; templating: { list: { query: unknown }[] } } {
  return JSON.parse(text('grafana-dashboard.json'))
}

function dashboardExpressions(): Expression[] {
  return dashboard().panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: title,
      expr,
      shown: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? ''),
    })),
  )
}

const METRIC = /\b((?:holdfast|http|job|db|external)_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g
const labelsIn = (matchers: string) =>
  [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label)

/** Metrics an expression reads, each with the labels it is chosen by. */
function metricsIn(expr: string) {
  return [...expr.matchAll(METRIC)].map(([, name = '', matchers = '']) => ({
    name: name.replace(/_(bucket|sum|count)$/, ''),
    labels: labelsIn(matchers),
  }))
}

/** The labels of each family, as docs/metrics.md lists them; a test compares that page with what is exported. */
const LABELS: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ...readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8').matchAll(
      /^\| `(\w+)` \| (?:histogram|counter|gauge) \| ([^|]*) \|/gm,
    ),
  ].map(([, name = '', labels = '']) => [
    name,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label ?? ''),
  ]),
)

/** What stands behind `# TYPE` in the answers of a server and of a worker. */
async function told({ call }: ServedWorld<World>): Promise<{ names: Set<string>; text: string }> {
  const server = await call('GET', '/metrics')
  expect(server.status).toBe(200)
  const worker = await workerMetrics().text()
  const all = `${server.text}\n${worker}`
  return {
    names: new Set([...all.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? '')),
    text: server.text,
  }
}

it('S1.19 there is a Prometheus rule for each rule of the alerts, with the same threshold', async () => {
  const { store } = await pinnedServer()
  const alertRules = await store.alerts.rules()
  const rules = prometheusRules()
  expect(rules.map(({ rule }) => rule).sort()).toEqual(alertRules.map(({ rule }) => rule).sort())
  for (const { rule, expr } of rules) {
    const { threshold } = alertRules.find((each) => each.rule === rule) ?? {}
    expect(expr, rule).toMatch(new RegExp(`> ${threshold}\\b`))
  }
})

it('S1.19 a live server or worker exports every metric and label of the Prometheus rules and the Grafana dashboard', async () => {
  const world = await pinnedServer()
  const { names } = await told(world)
  const expressions = [...prometheusRules(), ...dashboardExpressions()]
  expect(expressions.length).toBeGreaterThan(25)
  for (const { where, expr, shown } of expressions) {
    const metrics = metricsIn(expr)
    expect(metrics.length, `${where} reads nothing`).toBeGreaterThan(0)
    const known = new Set(['le'])
    for (const { name, labels } of metrics) {
      expect(names, `${where}: ${name}`).toContain(name)
      const family = LABELS.get(name) ?? []
      for (const label of family) known.add(label)
      for (const label of labels) expect(family, `${where}: ${name} by ${label}`).toContain(label)
    }
    const grouped = [...expr.matchAll(/\b(?:by|on|without|group_left)\s*\(([^)]*)\)/g)].flatMap(
      ([, list = '']) => list.split(/,\s*/).filter((label) => label !== ''),
    )
    for (const label of [...grouped, ...shown]) expect([...known], `${where}: ${label}`).toContain(label)
  }
  for (const query of dashboard().templating.list.slice(1)) {
    const [, name = ''] = /label_values\((\w+)/.exec(JSON.stringify(query)) ?? []
    expect(names).toContain(name)
  }
})

it('S1.19 a server exports the number of open alerts and the values that their rules measure', async () => {
  const world = await pinnedServer()
  const { store } = world
  await withoutWaiting(store)
  await store.settings.set('ALERT_DEPTH_JOBS', 1)
  await store.settings.set('ALERT_NO_WORKER_JOBS', 100)
  await enqueue(store, 'deep', 2)
  await nextCheck(store)
  const { text: metrics } = await told(world)
  expect(metrics).toContain('holdfast_alerts{tenant="default",rule="depth",state="firing"} 1')
  expect(metrics).toContain('holdfast_alert_value{tenant="default",rule="depth",subject="deep"} 2')
  expect(metrics).toContain('holdfast_alert_value{tenant="default",rule="oldest_ready",subject="deep"} 15')
})
