/** A sheet of all images: the thumbnails as they came from the bucket, and the reasons of those that have none. */
export interface Card {
  readonly name: string
  readonly status: string
  /** What is written below: sizes, or the reason. */
  readonly lines: readonly string[]
  /** A JPEG, if there is one: not every viewer draws a WebP inside of an SVG. */
  readonly thumbnail?: Buffer
}

const COLUMNS = 4
const WIDTH = 230
const HEIGHT = 220
const PICTURE = 140
const LINE_CHARACTERS = 38

export function sheetOf(cards: readonly Card[]): string {
  const rows = Math.ceil(cards.length / COLUMNS)
  const [width, height] = [COLUMNS * WIDTH + 10, rows * HEIGHT + 10]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<title>Images and their thumbnails</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${cards.map((card, n) => drawn(card, 10 + (n % COLUMNS) * WIDTH, 10 + Math.floor(n / COLUMNS) * HEIGHT)).join('\n')}
</svg>
`
}

function drawn({ name, status, lines, thumbnail }: Card, x: number, y: number): string {
  const colour = status === 'completed' ? '#2e9d5b' : '#d0342c'
  const frame = `x="${x}" y="${y}" width="${WIDTH - 10}" height="${PICTURE}"`
  const picture =
    thumbnail === undefined
      ? `<rect ${frame} fill="#fdecea"/>`
      : `<rect ${frame} fill="#f3f4f6"/><image ${frame} preserveAspectRatio="xMidYMid meet" href="data:image/jpeg;base64,${thumbnail.toString('base64')}"/>`
  const text = lines
    .flatMap(wrapped)
    .slice(0, 3)
    .map((line, n) => `<text x="${x}" y="${y + PICTURE + 30 + n * 14}" fill="#555">${escaped(line)}</text>`)
  return `${picture}<text x="${x}" y="${y + PICTURE + 15}"><tspan font-weight="bold">${escaped(name)}</tspan> <tspan fill="${colour}">${status}</tspan></text>${text.join('')}`
}

/** Breaks a line at spaces. */
function wrapped(line: string): string[] {
  const lines = ['']
  for (const part of line.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + part.length >= LINE_CHARACTERS) lines.push(part)
    else lines[lines.length - 1] = `${last} ${part}`.trim()
  }
  return lines
}

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
