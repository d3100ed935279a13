/** Quiet lines for people: time, who, what. No colours where the output is no terminal. */
export type Print = (who: string, text: string, tone?: Tone) => void

export type Tone = 'plain' | 'good' | 'bad' | 'strong'

const CODES: Record<Tone | 'dim', string> = { plain: '0', good: '32', bad: '31', strong: '1', dim: '2' }
const WHO_WIDTH = 12

export function printer(stream: NodeJS.WriteStream = process.stdout): Print {
  const hasColours = stream.isTTY && process.env.NO_COLOR === undefined
  const paint = (tone: Tone | 'dim', text: string) =>
    hasColours && tone !== 'plain' ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text
  return (who, text, tone = 'plain') => {
    const time = new Date().toTimeString().slice(0, 8)
    stream.write(`${paint('dim', time)}  ${paint('dim', who.padEnd(WHO_WIDTH))}  ${paint(tone, text)}\n`)
  }
}
