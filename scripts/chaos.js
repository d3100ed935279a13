// Runs the chaos harness of test/chaos.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { compiled } from './prove/compiled.js'

const folder = compiled(['test/chaos', 'test/support/sql.ts'])
const child = spawn(process.execPath, [join(folder, 'test/chaos/run.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
})
// A terminal tells the child as well; here we only wait for it to tidy up.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
