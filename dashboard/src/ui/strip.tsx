/** Small pictures of the recent past, drawn as SVG: bars with failures on top, strips, meters. */
import type { Tone } from './badge.jsx'

export interface Bar {
  /** The quiet part of the bar. */
  readonly good: number
  readonly bad?: number
  /** On hover. */
  readonly title?: string
}

/** Bars per interval: what ended well in green, what failed in red above it. */
export function Bars({
  bars,
  label,
  height = 56,
}: {
  readonly bars: readonly Bar[]
  readonly label: string
  readonly height?: number
}) {
  const max = Math.max(1, ...bars.map(({ good, bad = 0 }) => good + bad))
  const scale = (n: number) => (n / max) * (height - 2)
  const width = 100 / Math.max(1, bars.length)
  return (
    <svg class="bars" width="100%" height={height} role="img" aria-label={label} preserveAspectRatio="none">
      {bars.map(({ good, bad = 0, title }, n) => {
        const low = scale(good)
        const high = scale(bad)
        return (
          <g key={n}>
            {title !== undefined && <title>{title}</title>}
            <rect
              class="good"
              x={`${n * width + width * 0.15}%`}
              y={height - low}
              width={`${width * 0.7}%`}
              height={low}
              rx="1"
            />
            {bad > 0 && (
              <rect
                class="bad"
                x={`${n * width + width * 0.15}%`}
                y={height - low - high - 1}
                width={`${width * 0.7}%`}
                height={Math.max(2, high)}
                rx="1"
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}

export interface Mark {
  readonly tone: Tone
  readonly title: string
  readonly href?: string
}

/** The last runs as squares, oldest first: the firings of a schedule, the attempts of a kind. */
export function Strip({ marks, label }: { readonly marks: readonly Mark[]; readonly label: string }) {
  return (
    <ol class="strip" aria-label={label}>
      {marks.map(({ tone, title, href }, n) => (
        <li key={n} class={tone} title={title}>
          {href === undefined ? (
            <span class="hidden-visually">{title}</span>
          ) : (
            <a href={href}>
              <span class="hidden-visually">{title}</span>
            </a>
          )}
        </li>
      ))}
    </ol>
  )
}

/** How full something is: slots of a worker, a limit of a queue. */
export function Meter({
  value,
  max,
  label,
}: {
  readonly value: number
  readonly max: number
  readonly label: string
}) {
  const share = max <= 0 ? 0 : Math.min(1, value / max)
  return (
    <span class="meter" role="img" aria-label={label} title={label}>
      <span style={{ width: `${share * 100}%` }} class={share >= 1 ? 'full' : ''} />
    </span>
  )
}

/** How far work has come. It is not full before the work has ended: what is expected may be too little. */
export function ProgressBar({
  value,
  max,
  label,
  ended = value >= max,
}: {
  readonly value: number
  readonly max: number
  readonly label: string
  readonly ended?: boolean
}) {
  const share = ended ? 1 : max <= 0 ? 0 : Math.min(0.97, value / max)
  return (
    <span
      class="meter"
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      title={label}
    >
      <span style={{ width: `${share * 100}%` }} class={ended ? 'done' : ''} />
    </span>
  )
}
