/** Kinds of jobs that Holdfast itself handles. Every worker handles them, and none lists them. */

/** Asks for the end of another job of a strict queue, where only a worker ends a job. Its input: { jobId, reason? }. */
export const CANCEL_KIND = 'holdfast.cancel'

export function isSystemKind(kind: string): boolean {
  return kind.startsWith('holdfast.')
}
