/** Finds the version of a program since which a kind of job fails. */

export interface KindVersion {
  /** As workers report it; '' if they do not. */
  readonly version: string
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly attempts: number
  /** Failed and lost attempts. */
  readonly failed: number
}

/** Fewer attempts than this prove nothing. */
const ATTEMPTS_MIN = 5
/** A share above this is failing, unless the version before failed almost as much. */
const FAILING_SHARE = 0.1
const WORSE_BY = 2

/**
 * The version since which a kind fails: the versions from it to the newest fail, and the one before it did not, or half as much at most.
 * Null if the newest does not fail, or if no version before it is known: then the version may not be the cause.
 */
export function failsSince(versions: readonly KindVersion[]): string | null {
  const known = versions
    .filter(({ version, attempts }) => version !== '' && attempts >= ATTEMPTS_MIN)
    .sort((a, b) => b.firstSeenAt.getTime() - a.firstSeenAt.getTime())
  let culprit: KindVersion | undefined
  for (const each of known) {
    if (culprit !== undefined && share(culprit) >= WORSE_BY * share(each)) return culprit.version
    if (share(each) <= FAILING_SHARE) return null
    culprit = each
  }
  return null
}

function share({ attempts, failed }: KindVersion): number {
  return failed / attempts
}
