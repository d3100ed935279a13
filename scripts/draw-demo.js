// Draws what a command prints as a picture for the README:
//   node dist/cli/main.js demo | node scripts/draw-demo.js 'holdfast demo' > docs/images/demo.svg
//   HOLDFAST_LOG_FORMAT=pretty timeout -s INT 9 node dist/cli/main.js up --demo | node scripts/draw-demo.js 'npm start' > docs/images/up.svg
//   tmux capture-pane -e -p -t <pane with holdfast top> | node scripts/draw-demo.js 'holdfast top' > docs/images/top.svg
// What has colours keeps them; other output gets tones by its columns.
import { readFileSync } from 'node:fs'

const CHAR = 8.4
const LINE = 20
const PAD = 28
const COLUMNS = 80
const COLOURS = {
  text: '#d6dde4',
  dim: '#7d8b99',
  good: '#7fc8a0',
  bad: '#e3b56b',
  wrong: '#e07a7a',
  strong: '#ffffff',
  paper: '#14191f',
}

/** The tones of a terminal's styles, and which of them a code ends. */
const TONES = { 1: 'strong', 2: 'dim', 31: 'wrong', 32: 'good', 33: 'bad' }
const ENDS = { 22: [1, 2], 27: [7], 39: [31, 32, 33] }

const lines = readFileSync(0, 'utf8')
  .replace(/^\n+|\n+$/g, '')
  .split('\n')
const isColoured = lines.some((line) => line.includes('\x1b'))
/** The styles in force; they last until they end, over several lines. */
let codes = []
const width = Math.round(COLUMNS * CHAR + 2 * PAD)
const height = lines.length * LINE + 2 * PAD

const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign])

/** The tones of a line: of its first word, and of the rest. */
function tonesOf(line) {
  if (/^\d\d:/.test(line)) return ['dim', 'text']
  if (/^ {2}✓/.test(line)) return ['good', 'text']
  if (/^ {2}holdfast/.test(line)) return ['strong', 'dim']
  if (/^ {4}(node|npx|holdfast)/.test(line)) return ['text', 'text']
  if (/^ +\d+ {2}\S/.test(line)) return ['dim', 'strong']
  if (/^ {5}holdfast/.test(line)) return ['strong', 'dim']
  if (/^ {5}✓/.test(line)) return ['good', 'text']
  if (/^ {5}×/.test(line)) return ['bad', 'bad']
  if (/^ {5}·/.test(line)) return ['dim', 'text']
  // The second line of what stood in the third column.
  return /^ {33}/.test(line) ? ['text', 'text'] : ['dim', 'dim']
}

const STATES = { succeeded: 'good', retrying: 'bad', canceled: 'bad', failed: 'wrong', scaled: 'strong' }

/** Every word at its own column, so that columns stay columns in whichever font the reader has. */
const texts = lines.flatMap((line, row) => {
  if (isColoured) return colouredTexts(line, row)
  const [first, rest] = tonesOf(line)
  return [...line.matchAll(/\S+(?: \S+)*/g)].flatMap(({ 0: words, index }) => {
    const mark = /^([✓×·]) (.*)$/.exec(words)
    const parts = mark ? [mark[1], mark[2]] : [words]
    const start = line.search(/\S/)
    return parts.map((part, n) => {
      const column = index + (n === 0 ? 0 : 2)
      const tone = STATES[part] ?? (/^ended by /.test(part) ? 'wrong' : undefined)
      return textAt(column, row, part, tone ?? (column === start ? first : rest))
    })
  })
})

function toneNow() {
  if (codes.includes(7)) return 'paper'
  return codes.map((code) => TONES[code]).find((tone) => tone !== undefined) ?? 'text'
}

/** The pieces of a line that a terminal coloured; an inverted piece has a background. */
function colouredTexts(line, row) {
  let column = 0
  const [first, ...pieces] = line.split('\x1b[')
  const drawn = textsAt(first, 0, row, toneNow())
  column += first.length
  for (const piece of pieces) {
    const [, numbers = '', text = ''] = /^([\d;]*)m(.*)$/s.exec(piece) ?? []
    // 0 and an empty code end every style, 22, 27 and 39 one of them.
    for (const code of numbers.split(';').map(Number))
      codes =
        code === 0
          ? []
          : [22, 27, 39].includes(code)
            ? codes.filter((each) => !ENDS[code].includes(each))
            : [...codes, code]
    const isInverse = codes.includes(7)
    if (isInverse && text !== '') drawn.push(background(column, row, text.length))
    drawn.push(...textsAt(text, column, row, toneNow()))
    column += text.length
  }
  return drawn
}

function textsAt(text, column, row, tone) {
  return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) =>
    textAt(column + index, row, words, tone),
  )
}

function background(column, row, length) {
  const x = (PAD + column * CHAR).toFixed(1)
  return `<rect x="${x}" y="${PAD + row * LINE - 1}" width="${(length * CHAR).toFixed(1)}" height="${LINE}" fill="${COLOURS.text}"/>`
}

function textAt(column, row, words, tone) {
  const x = (PAD + column * CHAR).toFixed(1)
  const y = PAD + row * LINE + 14
  const weight = tone === 'strong' ? ' font-weight="600"' : ''
  const length = (words.length * CHAR).toFixed(1)
  return `<text x="${x}" y="${y}" fill="${COLOURS[tone]}"${weight} textLength="${length}">${escaped(words)}</text>`
}

process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The output of ${escaped(process.argv[2])}">
<rect width="100%" height="100%" rx="10" fill="#14191f"/>
<g font-family="Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${texts.join('\n')}
</g>
</svg>
`)
