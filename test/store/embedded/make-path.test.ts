import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makePath } from '../../../src/embedded/make-path.js'

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-path-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('makes a folder with all that lead to it, and says where it began', () => {
  const folder = place()
  expect(makePath(join(folder, 'a', 'b', 'c'))).toBe(join(folder, 'a'))
  expect(statSync(join(folder, 'a', 'b', 'c')).isDirectory()).toBe(true)
  expect(makePath(join(folder, 'a', 'b', 'd'))).toBe(join(folder, 'a', 'b', 'd'))
  expect(makePath(join(folder, 'a', 'b'))).toBeUndefined()
})

it('fails, and does not try for ever, where nothing can be made', () => {
  const folder = place()
  writeFileSync(join(folder, 'file'), '')
  expect(() => makePath(join(folder, 'file', 'a'))).toThrow(/ENOTDIR/)
  expect(() => makePath(join(folder, 'file'))).toThrow(/EEXIST/)
  expect(() => makePath('/proc/nowhere/at/all')).toThrow()
})
