/** A search as coloured pieces: fields, values, and the mistake underlined. Pure. */
import type { ParsedSearch, SearchProblem } from '../../../src/search/search.js'

export interface Piece {
  readonly text: string
  readonly look: 'field' | 'value' | 'plain'
  readonly wrong: boolean
}

/** Pieces that cover the whole text. */
export function piecesOf(text: string, { tokens, problems }: ParsedSearch): Piece[] {
  const pieces: Piece[] = []
  for (const { type, start, end } of tokens) {
    const look =
      type === 'field' || type === 'operator' || type === 'not'
        ? 'field'
        : type === 'value' || type === 'keyword'
          ? 'value'
          : 'plain'
    for (const [from, to] of cuts(start, end, problems)) {
      const wrong = problems.some(({ position, length }) => from >= position && from < position + length)
      pieces.push({ text: text.slice(from, to), look, wrong })
    }
  }
  return pieces
}

/** The parts of a token between the ends of problems, so that each part is wholly right or wholly wrong. */
function cuts(start: number, end: number, problems: readonly SearchProblem[]): [number, number][] {
  const at = problems.flatMap(({ position, length }) => [position, position + length])
  const inside = [...new Set(at.filter((each) => each > start && each < end))].sort((a, b) => a - b)
  const bounds = [start, ...inside, end]
  return bounds.slice(1).map((to, n) => [bounds[n] ?? start, to])
}

/** The problem to show while a person types: not that of the word that is still being written. */
export function shownProblem(
  problems: readonly SearchProblem[],
  caret: number | null,
): SearchProblem | undefined {
  return problems.find(
    ({ position, length }) => caret === null || caret < position || caret > position + length,
  )
}
