// The package and some of its tests, compiled into a folder of their own: what runs for minutes and starts new processes all the time
// must not meet a dist that somebody builds anew meanwhile.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

const compile = (...args) =>
  execFileSync(process.execPath, [tsc, ...args, '--noCheck'], { cwd: root, stdio: ['ignore', 2, 2] })

/** Answers the folder, which is gone with this process; `include` are files and folders of the repository. */
export function compiled(include) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-proof-build-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['node_modules', 'sql', 'config', 'package.json'])
    symlinkSync(join(root, name), join(folder, name))
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
    include: include.map((name) => join(root, name)),
    exclude: [join(root, 'test/**/*.test.ts')],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  compile('-p', join(folder, 'tsconfig.json'))
  return folder
}
