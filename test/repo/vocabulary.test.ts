// The words of this repository. A stranger who knows other job queues should find the words they use: enqueue, claim, finish, heartbeat,
// backoff, batch, dead letter, throttle, poison job, long poll, history. Each failure names the place.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Each with what to write instead. Matched as whole words, also inside of names: `toldWorkers`, `was_said`. */
const BANNED: Record<string, string> = {
  told: 'notified, sent, reported, shown',
  tell: 'notify, send, report, show',
  tells: 'notifies, reports, shows',
  telling: 'notifying, reporting',
  untold: 'not sent',
  said: 'given, set, reported, returned',
  saying: 'reporting, naming',
  heard: 'received, seen',
  unheard: 'not received',
  nobody: 'no one, no worker, no caller; better: name the subject',
  somebody: 'a caller, another process, an operator; better: name the subject',
  anybody: 'anyone; better: name the subject',
  everybody: 'everyone, all callers; better: name the subject',
  whoever: 'the caller, the worker, the process that',
  whomever: 'the one who is meant',
  mend: 'fix, repair',
  mends: 'fixes',
  mended: 'fixed',
  spoken: 'used',
  speaks: 'uses, implements',
  greeted: 'announced',
  knock: 'call, request',
  knocks: 'calls, requests',
  boast: 'report',
  goodbye: 'removal',
  stranger: 'unauthenticated caller',
  strangers: 'unauthenticated callers',
  word: 'name, message, text, value; a state of a preset has a "state word"',
  words: 'names, messages, text; states of a preset have "state words"',
  retold: 'redriven (dead letters), sent again',
  suspects: 'suspected poison jobs; those that wait for their turn are quarantined',
  desk: 'name what it does: runner, sessions, upkeep',
  gathering: 'batch, collect',
}

/** Names in code, where the word alone is plain English elsewhere. Each with what to write instead. */
const BANNED_NAMES: readonly (readonly [name: RegExp, instead: string])[] = [
  [/\b\w+_(MOST|LEAST)(_\w+)?\b|\b(MOST|LEAST)_\w+/, 'a bound ends in _MAX or _MIN'],
  [
    /\b(const|let|readonly) (most|least)\b|[{(,] ?(most|least)[?:]|\{(most|least)\}|`(most|least)`/,
    'max, min',
  ],
  [/\bp_(most|least)\b|'(most|least)'|"(most|least)"/, 'max, min'],
  [/\b(const|let) of\b/, 'what it is: byId, byName, …'],
  [/\bKeyName\b/, 'ConfigKey'],
  [/\bRemote(?!Work)[A-Z]\w*/, 'the plain name; Api… inside of src/client'],
  [/work\/(keep|beat|leave)\b/, 'work/release-unlisted, work/heartbeat, work/remove-worker'],
  [/'beat'/, 'heartbeat'],
  [/\b(countedAtMost|counted_at_most|atMost)\b/, 'countedMax, counted_max, max'],
  [/[uU]nbegun/, 'unstarted'],
  [
    /\b(drain_asked|priority_asked|asked_at|came_at|worked_at|back_to|carried_out_by)\b/,
    'requested, initial, a time with the name of what happened',
  ],
]

/**
 * "State words" are what a preset calls the states, and a policy is shown "in words"; COMP_WORDS and words are variables of shells; the rest
 * are single English words that happen to hold one.
 */
const FINE =
  /\bin words\b|inWords|InWords|policy-words|read_word|p_word|\^nobody:|\bk\.word\b|state[ _-]?words?|stateWords?|StateWords?|passwords?|keywords?|COMP_C?WORDS?|\$\{words\[|\bwords? (count|embedding)\b/gi

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.name === 'node_modules') return []
    if (entry.isDirectory()) return filesIn(path, ending)
    return ending.test(entry.name) ? [path] : []
  })
}

const source = filesIn('src', /\.ts$/)
const pages = [
  ...filesIn('docs', /\.md$/),
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
]
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Titles of tests, quoted behind their file by docs/requirements.md and docs/internals/faults.md. */
const TITLE = /(\]\(\.\.\/test\/\S+\.test\.ts\): |`test\/\S+\.test\.ts` )(?:(?!<br>| \|).)*/g

/** The words of a line, with names taken apart at humps and underscores. */
function wordsOf(line: string): string[] {
  const apart = line
    .replace(TITLE, ' ')
    .replace(FINE, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return apart.toLowerCase().match(/[a-z]+/g) ?? []
}

/** A search consists of words, with or without a field. */
const OF_SEARCH = /\bsearch\b|search-query/

it('no line of src, sql or the documents has a word of our own for something that has a name', () => {
  const found = [...source, ...filesIn('sql', /\.sql$/), ...pages].flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, n) => {
        const banned = wordsOf(line).filter(
          (word) => Object.hasOwn(BANNED, word) && !(OF_SEARCH.test(file) && /^words?$/.test(word)),
        )
        return banned.map((word) => `${file}:${n + 1} has "${word}": write ${BANNED[word]}`)
      }),
  )
  expect(found).toEqual([])
})

it('no line of src or sql has a name of our own for something that has one', () => {
  const found = [...source, ...filesIn('sql', /\.sql$/)].flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, n) =>
        BANNED_NAMES.filter(([name]) => name.test(line)).map(
          ([name, instead]) => `${file}:${n + 1} has "${name.exec(line)?.[0]}": write ${instead}`,
        ),
      ),
  )
  expect(found).toEqual([])
})

it('a name of a type has one meaning', () => {
  const declared = new Map<string, Set<string>>()
  for (const file of source) {
    for (const [, name = ''] of read(file).matchAll(/^(?:export )?(?:interface|type|class) ([A-Z]\w*)/gm)) {
      if (!declared.has(name)) declared.set(name, new Set())
      declared.get(name)?.add(file)
    }
  }
  const several = [...declared].filter(([name, files]) => files.size > 1 && !SEVERAL_TIMES.includes(name))
  expect(several.map(([name, files]) => `${name}: ${[...files].join(', ')}`)).toEqual([])
})

/** The parameters of a command line command, by the file of the command. */
const SEVERAL_TIMES = ['Flags']
