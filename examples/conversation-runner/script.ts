/** Who says what: six conversations of two tenants, four turns each, with the turns that something happens to. */
export interface ScriptedTurn {
  readonly tenant: string
  readonly conversation: string
  readonly turn: number
  readonly prompt: string
}

const TURNS = 4
const CONVERSATIONS: Readonly<Record<string, readonly string[]>> = {
  acme: ['acme-1', 'acme-2'],
  bolt: ['bolt-1', 'bolt-2', 'bolt-3', 'bolt-4'],
}
/** More than any turn uses that was interrupted and asked again; the one that asks for details uses more than its own. */
const TOKENS_USUAL = 100_000
const TOKENS_FEW = 150

const DETAILED = { conversation: 'bolt-2', turn: 2 } as const
export const INTERRUPTED = { conversation: 'bolt-3', turn: 2 } as const
export const DRAINED = { conversation: 'bolt-4', turn: 3 } as const

const isTurn = (at: { conversation: string; turn: number }, conversation: string, turn: number) =>
  at.conversation === conversation && at.turn === turn

/** In the order they are enqueued: the first turn of each conversation, then the second ones, and so on. */
export function scriptOf(tenant: string): ScriptedTurn[] {
  const turns = Array.from({ length: TURNS }, (_none, n) => n + 1)
  return turns.flatMap((turn) =>
    (CONVERSATIONS[tenant] ?? []).map((conversation) => ({
      tenant,
      conversation,
      turn,
      prompt: promptOf(conversation, turn),
    })),
  )
}

export function tokenLimitOf({ conversation, turn }: ScriptedTurn): number {
  return isTurn(DETAILED, conversation, turn) ? TOKENS_FEW : TOKENS_USUAL
}

export function promptOf(conversation: string, turn: number): string {
  if (isTurn(DETAILED, conversation, turn)) return 'Describe every ship in the harbor in detail.'
  if (isTurn(INTERRUPTED, conversation, turn)) return 'Count all lights along the coast, slowly.'
  if (isTurn(DRAINED, conversation, turn)) return 'Read the whole tide table, slowly.'
  return `${conversation} asks question ${turn}.`
}
