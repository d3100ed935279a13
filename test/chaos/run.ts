/** `npm run chaos`: one run from its flags to its page. Exit code 0: every promise held; 1: not, or nothing was proven; 2: wrong flags. */
import { parseArgs } from 'node:util'
import { MUTANTS } from './mutants.js'
import { page, verdict } from './report.js'
import { type Asked, chaos } from './stage.js'

const USAGE = `npm run chaos -- [--seconds 60] [--random-seed N] [--workers 4..8] [--json] [--keep] [--mutant NAME]
Mutants: ${Object.keys(MUTANTS).join(', ')}`

function flags(): Asked & { json: boolean } {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      'random-seed': { type: 'string', default: String(Date.now() % 1_000_000) },
      workers: { type: 'string', default: '4' },
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      mutant: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const whole = (name: 'seconds' | 'random-seed' | 'workers', least: number, most: number) => {
    const number = Number(values[name])
    if (Number.isInteger(number) && number >= least && number <= most) return number
    throw new Error(`--${name} must be a whole number from ${least} to ${most}`)
  }
  if (values.help) throw new Error('')
  if (values.mutant !== undefined && MUTANTS[values.mutant] === undefined) {
    throw new Error(`there is no mutant ${values.mutant}`)
  }
  return {
    seconds: whole('seconds', 5, 86_400),
    seed: whole('random-seed', 0, 2 ** 32 - 1),
    workers: whole('workers', 2, 16),
    mutant: values.mutant ?? null,
    keep: values.keep,
    json: values.json,
  }
}

async function main(): Promise<number> {
  let asked: ReturnType<typeof flags>
  try {
    asked = flags()
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`.trim())
    return 2
  }
  const progress = process.stderr.isTTY
    ? (text: string) => void process.stderr.write(`\r\x1b[2K${text.slice(0, process.stderr.columns)}`)
    : () => {}
  const result = await chaos(asked, progress)
  progress('')
  const outcome = verdict(result)
  const mutant = MUTANTS[asked.mutant ?? '']
  const text = asked.json
    ? JSON.stringify({ verdict: outcome, mistake: mutant?.mistake, meant: mutant?.check, ...result }, null, 2)
    : page(result)
  await new Promise((resolve) => process.stdout.write(`${text}\n`, resolve))
  return outcome === 'held' ? 0 : 1
}

// A connection that was broken on purpose must not keep a finished run from ending.
process.exit(await main())
