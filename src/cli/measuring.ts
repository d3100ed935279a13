/** `--metrics-port`: where a process that works on jobs tells its metrics. */
import type { Command } from 'commander'
import { thisChild } from '../app/processes.js'
import type { Config } from '../config/resolve.js'
import type { MetricsAddress } from '../telemetry/listen.js'
import type { WorkerMetrics } from '../telemetry/worker-metrics.js'
import { CommandError, EXIT } from './failure.js'
import type { FlagKeys } from './flags.js'
import type { Log } from './log.js'
import { cannotListen, isLoopback } from './serving.js'

export interface MetricsFlags {
  readonly metricsPort?: string
  readonly metricsHost?: string
}

export function withMetrics(command: Command): Command {
  return command
    .option(
      '--metrics-port <n>',
      'tell metrics of this process at /metrics on this port; 0 takes any that is free',
    )
    .option('--metrics-host <address>', 'who can reach them (default: 127.0.0.1, this machine)')
}

export function metricsKeys({ metricsPort, metricsHost }: MetricsFlags): FlagKeys {
  return {
    'metrics.port': { flag: '--metrics-port', value: metricsPort },
    'metrics.host': { flag: '--metrics-host', value: metricsHost },
  }
}

/** Undefined: nobody asked for metrics, and nothing is counted. */
export async function startMetrics(
  config: Config,
  processes: number,
  log: Log,
): Promise<WorkerMetrics | undefined> {
  const port = config.get('metrics.port')
  const host = config.get('metrics.host')
  const token = config.get('metrics.token')
  if (port === undefined) return undefined
  const loopback = isLoopback(host)
  if (!loopback && token === undefined) throw withoutToken(host)
  const child = thisChild()
  // One that only looks after others has nothing to tell.
  if (processes > 1 && child === undefined) return undefined
  const [{ workerMetrics }, { listenMetrics }] = await Promise.all([
    import('../metrics.js'),
    import('../telemetry/listen.js'),
  ])
  const metrics = workerMetrics()
  // Processes of one program have ports one after the other.
  const own = port === 0 || child === undefined ? port : port + child.place - 1
  const address: MetricsAddress = { host, port: own, token, loopback }
  const { url } = await listenMetrics(metrics, address).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, host, own, '--metrics-port or --metrics-host')
  })
  log.info({ url }, 'metrics')
  return metrics
}

function withoutToken(host: string): CommandError {
  return new CommandError({
    code: 'no_token',
    message: `Others could reach these metrics at ${host}, and there is no token to tell them apart.`,
    remedy: 'Set HOLDFAST_METRICS_TOKEN to at least 16 characters, or use --metrics-host 127.0.0.1.',
    exitCode: EXIT.config,
  })
}
