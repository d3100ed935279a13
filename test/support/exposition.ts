/** The text format of Prometheus, read as a scraper reads it. */
export interface Sample {
  /** As it stands: of a histogram with _bucket, _sum or _count. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Exposed {
  readonly type: string
  readonly samples: readonly Sample[]
}

const SAMPLE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/i
const LABEL = /([a-z_]\w*)="((?:[^"\\]|\\.)*)"/gi

export function readExposition(text: string): Map<string, Exposed> {
  const families = new Map<string, { type: string; samples: Sample[] }>()
  let current: { type: string; samples: Sample[] } | undefined
  for (const line of text.split('\n')) {
    const [, name, type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (name !== undefined) {
      if (families.has(name)) throw new Error(`the family ${name} is told twice`)
      current = { type, samples: [] }
      families.set(name, current)
    } else if (line !== '' && !line.startsWith('#')) current?.samples.push(sampleOf(line))
  }
  return families
}

function sampleOf(line: string): Sample {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
  if (name === undefined || value === undefined) throw new Error(`not a sample: ${line}`)
  const pairs = [...labels.matchAll(LABEL)].map(([, label, text]) => [label as string, text as string])
  return { name, labels: Object.fromEntries(pairs), value: Number(value) }
}

/** The samples of a family whose labels are these, and perhaps others. */
export function samplesOf(
  families: ReadonlyMap<string, Exposed>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Sample[] {
  const isOne = ({ labels: own }: Sample) =>
    Object.entries(labels).every(([label, value]) => own[label] === value)
  return (families.get(name)?.samples ?? []).filter(isOne)
}
