/**
 * axe-core over the page as it stands: every rule in the theme that is shown, and the contrast once more in the other one. Where a dialog
 * is open, over the dialog: what lies behind it is inert, and examined as a page of its own.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Of the rules, only this one depends on the theme. */
const BY_THEME = ['color-contrast']
/** Of the places that a rule finds, so many are shown. */
const SHOWN = 4

export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(SOURCE)
  refuse(await findings(page), `${page.url()}, light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  refuse(await findings(page, BY_THEME), `${page.url()}, dark`)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** An assertion would cut the list short. */
function refuse(found: readonly string[], where: string): void {
  if (found.length > 0) throw new Error(`axe has findings at ${where}:\n${found.join('\n')}`)
}

async function findings(page: Page, only?: readonly string[]): Promise<string[]> {
  const found: Finding[] = await page.evaluate(
    async (rules) => {
      // biome-ignore lint/suspicious/noExplicitAny: this function runs in the page, whose types are not those of the tests
      const { axe, document } = globalThis as any
      const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
      return (await axe.run(document.querySelector('dialog[open]') ?? document, options)).violations
    },
    only as string[] | undefined,
  )
  return found.flatMap(({ id, help, nodes }) => [
    `${id}, ${nodes.length} times: ${help}`,
    ...nodes
      .slice(0, SHOWN)
      .map(({ html, failureSummary }) => `  ${html.slice(0, 300)}\n  ${failureSummary}`),
  ])
}
