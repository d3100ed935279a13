// Pictures of every page of the dashboard in light, in dark and 375 px wide, of a seeded database whose clock stands still, for the
// documents. Writes docs/images/dashboard/*.webp.
//
//   npm run screenshots                      all of them
//   npm run screenshots -- overview job      these pages
//   npm run screenshots -- overview-dark     this picture
//   npm run screenshots -- --to /tmp/look states light
//                                            PNGs in another folder: also of the states that no document shows, in these looks alone
import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiled } from './prove/compiled.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = compiled(['test/browser/pictures', 'test/support/browser/chromium.ts', 'test/support/shop'])
cpSync(join(root, 'dist/dashboard'), join(folder, 'dist/dashboard'), { recursive: true })
const take = join(folder, 'test/browser/pictures/take.js')
const given = process.argv.slice(2)
const to = given[0] === '--to' ? given.splice(0, 2)[1] : join(root, 'docs/images/dashboard')
const { status } = spawnSync(process.execPath, [take, to, ...given], { stdio: 'inherit' })
process.exitCode = status ?? 1
