/** A choice that stays in this browser. A browser that keeps nothing (private windows, policies) still works. */
import { effect, type Signal, signal } from '@preact/signals'

export function stored<T extends string>(name: string, choices: readonly T[], fallback: T): Signal<T> {
  const kept = attempt(() => localStorage.getItem(name))
  const value = signal(choices.find((each) => each === kept) ?? fallback)
  effect(() => {
    const now = value.value
    attempt(() => (now === fallback ? localStorage.removeItem(name) : localStorage.setItem(name, now)))
  })
  return value
}

function attempt<T>(run: () => T): T | null {
  try {
    return run()
  } catch {
    return null
  }
}
