/** Generates docs/state-machine.md from the table of moves, so that page and code agree. */
import { MOVES, type Move } from './moves.js'
import { placeOf, STATES, type State } from './states.js'

/** Mermaid `stateDiagram-v2`: one arrow for each pair of states, labelled with the verbs that make it. */
export function stateDiagram(): string {
  const verbsByArrow = new Map<string, Set<string>>()
  for (const { from, to, verb } of MOVES) {
    const arrow = `${from ?? '[*]'} --> ${to}`
    const verbs = verbsByArrow.get(arrow) ?? new Set()
    verbsByArrow.set(arrow, verbs.add(verb))
  }
  const arrows = [...verbsByArrow].map(([arrow, verbs]) => `  ${arrow}: ${[...verbs].join(', ')}`)
  return ['stateDiagram-v2', '  direction LR', ...arrows].join('\n')
}

export function stateMachinePage(): string {
  return `# The state machine

<!-- Generated from src/domain/states/moves.ts. To renew it: npm run build && node scripts/generate-diagram.js -->

A job is in exactly one place at any time, and a place is a table. \`src/domain/states/transition.ts\` describes the model in prose.

| place | states |
|---|---|
${placeRows()}

\`\`\`mermaid
${stateDiagram()}
\`\`\`

## Every move

A strict queue allows only the moves marked so.

| from | verb | to | when | strict |
|---|---|---|---|---|
${MOVES.map(moveRow).join('\n')}
`
}

function placeRows(): string {
  const statesByPlace = new Map<string, State[]>()
  for (const state of STATES) {
    const place = placeOf(state)
    statesByPlace.set(place, [...(statesByPlace.get(place) ?? []), state])
  }
  return [...statesByPlace].map(([place, states]) => `| ${place} | ${states.join(', ')} |`).join('\n')
}

function moveRow({ from, verb, to, when, strict }: Move): string {
  return `| ${from ?? '–'} | ${verb} | ${to} | ${when ?? ''} | ${strict ? 'yes' : 'no'} |`
}
