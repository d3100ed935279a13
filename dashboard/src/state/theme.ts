/** Light, dark, or as the system has it. Kept in this browser. */
import { effect, signal } from '@preact/signals'
import { stored } from './stored.js'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const theme = stored<Theme>('holdfast.theme', THEMES, 'system')

const systemDark = matchMedia('(prefers-color-scheme: dark)')
/** What is shown: charts draw on a canvas and cannot read it off the style sheet. */
export const dark = signal(false)

effect(() => {
  document.documentElement.dataset.theme = theme.value
  dark.value = theme.value === 'dark' || (theme.value === 'system' && systemDark.matches)
})
systemDark.addEventListener('change', () => {
  if (theme.peek() === 'system') dark.value = systemDark.matches
})
