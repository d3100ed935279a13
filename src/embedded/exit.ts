// Exit handlers, behind one listener for all servers of the process: Node warns of a leak at the eleventh listener.
const actions = new Set<() => void>()

/** Runs on a normal exit, synchronously. Returns the function that removes it. */
export function atExit(action: () => void): () => void {
  if (actions.size === 0) process.on('exit', runAll)
  actions.add(action)
  return () => {
    actions.delete(action)
    if (actions.size === 0) process.off('exit', runAll)
  }
}

function runAll(): void {
  for (const action of actions) action()
}
