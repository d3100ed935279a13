/** Checked before anything else is imported: on an old Node the dependencies would fail with an obscure error. */
const REQUIRED = [20, 19] as const

/** Returns the error message for a Node version that is too old, else undefined. */
export function refuseNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > REQUIRED[0] || (major === REQUIRED[0] && minor >= REQUIRED[1])) return undefined
  return `Holdfast needs Node ${REQUIRED.join('.')} or later; this is Node ${version}. Install a newer version from https://nodejs.org.`
}
