// The results as text for a terminal.
export function tableOf({ cells, beside }) {
  const rows = cells.map((cell) => [
    cell.holds ? 'holds' : 'NO',
    cell.id,
    shown(cell.value, cell.unit),
    shown(cell.against.value, cell.unit),
    cell.ratio === null ? '—' : cell.ratio.toFixed(2),
    cell.spread ? `${cell.spread.min.toFixed(2)}…${cell.spread.max.toFixed(2)}` : '',
    String(cell.bar),
    cell.note,
  ])
  const others = beside.map((entry) => [
    entry.holds === null ? '' : entry.holds ? 'holds' : 'NO',
    entry.id,
    `${short(entry.value)} ${entry.unit}`,
    entry.atMost === null ? '' : `≤ ${entry.atMost}`,
    entry.note,
  ])
  return [
    align([['', 'cell', 'ours', 'against', 'ratio', 'spread', 'bar', 'note'], ...rows]),
    ...(others.length > 0 ? ['', align([['', 'beside', 'value', 'aim', 'note'], ...others])] : []),
  ].join('\n')
}

export function rate(value) {
  return value === null ? '—' : `${short(value)}/s`
}

/** A reading in the unit of its cell. */
export function shown(value, unit) {
  if (unit === 'jobs/s') return rate(value)
  return value === null ? '—' : `${short(value)} ${unit}`
}

/** Three digits are more than the noise allows. */
export function short(value) {
  if (value === null || !Number.isFinite(value)) return '—'
  return value >= 1000
    ? Number(value.toPrecision(3)).toLocaleString('en-US')
    : String(Number(value.toPrecision(3)))
}

function align(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
