// Where we are: a bar on a terminal, one plain line per finished sample elsewhere.
const WIDTH = 24

export function openProgress(stream = process.stderr) {
  const terminal = stream.isTTY === true
  let drawn = false
  const wipe = () => {
    if (drawn) stream.write('\r\x1b[2K')
    drawn = false
  }
  return {
    /** Moves the bar; on anything but a terminal, nothing. */
    bar(label, done, total) {
      if (!terminal || total === 0) return
      const share = Math.min(1, done / total)
      const filled = Math.round(share * WIDTH)
      const text = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${String(Math.round(share * 100)).padStart(3)} % ${label}`
      stream.write(`\r\x1b[2K${text.slice(0, (stream.columns ?? 100) - 1)}`)
      drawn = true
    },
    line(text) {
      wipe()
      stream.write(`${text}\n`)
    },
    close: wipe,
  }
}
