/** Actions that the command palette offers. A page adds its own while it is shown: `useCommands([{ name: 'Pause queue', run }])`. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

export interface Command {
  readonly name: string
  readonly run: () => unknown
  /** Keys that do the same, shown beside it. */
  readonly keys?: string
  readonly group?: string
}

const registered = signal<readonly (readonly Command[])[]>([])

export function commands(): readonly Command[] {
  return registered.value.flat()
}

function register(added: readonly Command[]): () => void {
  registered.value = [...registered.peek(), added]
  return () => {
    registered.value = registered.peek().filter((each) => each !== added)
  }
}

/** `inputs` like the dependencies of a hook: the commands are registered again when one changes. */
export function useCommands(added: readonly Command[], inputs: readonly unknown[] = []): void {
  useEffect(() => register(added), inputs)
}
