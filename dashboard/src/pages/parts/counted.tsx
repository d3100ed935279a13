/** How many jobs of a queue are in a place; "37+" where counting stopped before its end. */
import type { AnswerOf } from '../../api/contract.js'
import { Num } from '../../ui/value.jsx'

type Counts = AnswerOf<'GET /api/v1/queues'>['queues'][number]['counts']

export function Counted({ counts, of }: { readonly counts: Counts; readonly of: Counts['capped'][number] }) {
  return <Num value={counts[of]} capped={counts.capped.includes(of)} />
}
