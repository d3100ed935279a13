// A private Redis for BullMQ, with the persistence its guide for production asks for: an append-only file, synced every
// second. That is less than Postgres promises with synchronous_commit on; the difference is in the peer's favour.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

export const REDIS_SETTINGS = {
  appendonly: 'yes',
  appendfsync: 'everysec',
  save: '',
  'maxmemory-policy': 'noeviction',
}

/** Redis ends when our end of the pipe closes, so also when we are killed. */
const KEEPER = 'redis-server "$@" & server=$!; cat > /dev/null; kill $server; wait $server'

export async function startRedis() {
  if (spawnSync('redis-server', ['--version']).error) {
    throw new Error('redis-server is not installed: run scripts/provision')
  }
  const home = mkdtempSync(join(tmpdir(), 'holdfast-bench-redis-'))
  const port = await freePort()
  const settings = Object.entries(REDIS_SETTINGS).flatMap(([name, value]) => [`--${name}`, value])
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', home, ...settings]
  const child = spawn('sh', ['-c', KEEPER, 'sh', ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
  try {
    await ready(child)
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
  const client = new Redis({ port, host: '127.0.0.1' })
  client.on('error', () => {})
  const version = /redis_version:(\S+)/.exec(await client.info('server'))?.[1]
  return {
    port,
    version,
    clear: () => client.flushall(),
    async stop() {
      client.disconnect()
      const gone = new Promise((resolve) => child.on('close', resolve))
      child.stdin.end()
      await gone
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function ready(child) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('redis-server did not start within 20 s')), 20_000)
    const done = (settle) => (value) => {
      clearTimeout(timer)
      settle(value)
    }
    child.on('error', done(reject))
    child.on('close', (code) => done(reject)(new Error(`redis-server ended with ${code}`)))
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('Ready to accept connections')) done(resolve)()
    })
  })
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
