/** `--metrics-port`: serves the Prometheus metrics of a worker process. */
import type { Command } from 'commander'
import { thisChild } from '../../app/processes.js'
import type { Config } from '../../config/resolve.js'
import type { MetricsAddress } from '../../telemetry/listen.js'
import type { WorkerMetrics } from '../../telemetry/worker-metrics.js'
import { CommandError, EXIT } from '../failure.js'
import type { FlagKeys } from '../flags.js'
import { cannotListen, isLoopback } from '../server/serve.js'
import type { CommandLog } from '../terminal/log.js'

export interface MetricsFlags {
  readonly metricsPort?: string
  readonly metricsHost?: string
}

export function withMetricsOptions(command: Command): Command {
  return command
    .option('--metrics-port <n>', 'serve metrics at /metrics on this port; 0 picks a free one')
    .option('--metrics-host <address>', 'address to listen on (default: 127.0.0.1)')
}

export function metricsKeys({ metricsPort, metricsHost }: MetricsFlags): FlagKeys {
  return {
    'metrics.port': { flag: '--metrics-port', value: metricsPort },
    'metrics.host': { flag: '--metrics-host', value: metricsHost },
  }
}

/** Returns undefined when metrics are not configured; nothing is counted then. */
export async function startMetrics(
  config: Config,
  processes: number,
  log: CommandLog,
): Promise<WorkerMetrics | undefined> {
  const port = config.get('metrics.port')
  const host = config.get('metrics.host')
  const token = config.get('metrics.token')
  if (port === undefined) return undefined
  const loopback = isLoopback(host)
  if (!loopback && token === undefined) throw withoutToken(host)
  const child = thisChild()
  // The parent of worker processes runs no jobs, so it has no metrics.
  if (processes > 1 && child === undefined) return undefined
  const [{ workerMetrics }, { listenMetrics }] = await Promise.all([
    import('../../metrics.js'),
    import('../../telemetry/listen.js'),
  ])
  const metrics = workerMetrics()
  // Worker processes of one program use consecutive ports.
  const ownPort = port === 0 || child === undefined ? port : port + child.place - 1
  const address: MetricsAddress = { host, port: ownPort, token, loopback }
  const { url } = await listenMetrics(metrics, address).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, host, ownPort, '--metrics-port or --metrics-host')
  })
  log.info({ event: 'metrics_listening', url }, 'metrics')
  return metrics
}

function withoutToken(host: string): CommandError {
  return new CommandError({
    code: 'no_token',
    message: `These metrics would be reachable at ${host} without a token.`,
    remedy: 'Set HOLDFAST_METRICS_TOKEN to at least 16 characters, or use --metrics-host 127.0.0.1.',
    exitCode: EXIT.config,
  })
}
