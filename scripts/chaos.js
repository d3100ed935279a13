// Compiles the package and the chaos harness into a folder of their own and runs the harness there: a run takes minutes and starts new
// processes all the time, and none of them may meet a dist that somebody builds anew meanwhile.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
const folder = mkdtempSync(join(tmpdir(), 'holdfast-chaos-build-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const compile = (...args) =>
  execFileSync(process.execPath, [tsc, ...args, '--noCheck'], { cwd: root, stdio: ['ignore', 2, 2] })

for (const name of ['node_modules', 'sql', 'package.json']) symlinkSync(join(root, name), join(folder, name))
compile('-p', join(root, 'tsconfig.build.json'), '--outDir', join(folder, 'dist'))
// The harness names some of our sources by their path; there they are what was compiled.
symlinkSync(join(folder, 'dist'), join(folder, 'src'))
mkdirSync(join(folder, 'test'))
const config = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: {
    noEmit: false,
    rootDir: join(root, 'test'),
    outDir: join(folder, 'test'),
    noResolve: true,
  },
  files: [],
  include: [join(root, 'test/chaos')],
  exclude: [join(root, 'test/chaos/**/*.test.ts')],
}
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
compile('-p', join(folder, 'tsconfig.json'))

const child = spawn(process.execPath, [join(folder, 'test/chaos/run.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
})
// A terminal tells the child as well; here we only wait for it to tidy up.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
