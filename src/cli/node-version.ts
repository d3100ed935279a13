/** Looked at before anything else is loaded: what we depend on would fail on an old Node with a riddle, not a sentence. */
const NEEDED = [20, 19] as const

/** The sentence that refuses this version; undefined when it will do. */
export function refuseNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined
  return `Holdfast needs Node ${NEEDED.join('.')} or later; this is Node ${version}. Install a newer one from https://nodejs.org.`
}
