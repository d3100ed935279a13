/**
 * A chart over time. uPlot is loaded with the first one. Charts of one page share the crosshair; each has a table behind a key, for screen
 * readers and for people who want the numbers.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { zone } from '../state/clock.js'
import { chartsAsTables } from '../state/keyboard.js'
import { dark } from '../state/theme.js'
import type { Tone } from './badge.jsx'
import { formatClock, formatNumber } from './format.js'
import { Skeleton } from './loaded.jsx'

export interface Series {
  readonly label: string
  readonly values: readonly (number | null)[]
  readonly tone: Tone | 'accent'
  readonly filled?: boolean
  readonly dashed?: boolean
  /** A broad pale line, below the others: a line of the same values over it is still seen, and so is this one. */
  readonly broad?: boolean
  /** In the legend, instead of the last value. */
  readonly summary?: number | null
}

export interface ChartMark {
  readonly at: number
  readonly label: string
}

export interface ChartProps {
  readonly label: string
  /** Milliseconds, ascending. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly format?: (value: number) => string
  /** For durations, which span milliseconds to hours. */
  readonly log?: boolean
  readonly height?: number
  /** Deploys and incidents. */
  readonly marks?: readonly ChartMark[]
}

export function Chart(props: ChartProps) {
  // Its own key, or `t` for all.
  const [own, setOwn] = useState<boolean | null>(null)
  const asTable = own ?? chartsAsTables.value
  return (
    <figure class="chart">
      <Canvas {...props} hidden={asTable} />
      {asTable && <ChartTable {...props} />}
      <figcaption class="chart-foot">
        <ul class="legend">
          {props.series.map(({ label, tone, values, summary, ...look }) => (
            <li key={label}>
              <span class={`swatch ${tone}${swatchOf(look)}`} aria-hidden="true" />
              {label} <b>{last(summary === undefined ? values : [summary], props.format)}</b>
            </li>
          ))}
        </ul>
        <button
          type="button"
          class="button quiet small"
          aria-pressed={asTable}
          onClick={() => setOwn(!asTable)}
        >
          {asTable ? 'Chart' : 'Table'}
          <span class="hidden-visually"> of {props.label}</span>
        </button>
      </figcaption>
    </figure>
  )
}

/** As the line is drawn. */
function swatchOf({ dashed, broad, filled }: Pick<Series, 'dashed' | 'broad' | 'filled'>): string {
  return dashed ? ' dashed' : broad ? ' broad' : filled ? ' filled' : ''
}

function last(values: readonly (number | null)[], format: (value: number) => string = formatNumber): string {
  const value = values.findLast((each) => each !== null)
  return value === undefined || value === null ? '–' : format(value)
}

/** It stays while the table is shown, without being drawn: to make it anew takes longer than a person notices. */
function Canvas({ hidden, ...props }: ChartProps & { readonly hidden: boolean }) {
  const { height = 176, label } = props
  const host = useRef<HTMLDivElement>(null)
  const [ready, setReady] = useState(false)
  const draw = useRef<{ update(props: ChartProps): void; stop(): void } | null>(null)
  // The data may change while uPlot is loaded.
  const latest = useRef(props)
  latest.current = props
  const shape = `${dark.value}${zone.value}${props.log}${props.series.map((each) => each.label).join()}`
  useEffect(() => {
    let ended = false
    void import('./plot.js').then(({ plot }) => {
      if (ended || host.current === null) return
      draw.current = plot(host.current, latest.current)
      setReady(true)
    })
    return () => {
      ended = true
      draw.current?.stop()
      draw.current = null
    }
  }, [shape])
  useEffect(() => {
    if (!hidden) draw.current?.update(props)
  }, [props.times, props.series, props.marks, hidden])
  return (
    <div class="chart-host" style={{ height: `${height}px` }} hidden={hidden}>
      {!ready && <Skeleton rows={3} />}
      {ready && isBare(props) && <p class="chart-none">Nothing to draw yet.</p>}
      <div ref={host} role="img" aria-label={`Chart: ${label}. The key "Table" shows its numbers.`} />
    </div>
  )
}

/** Lines without a value, or at zero: an empty chart looks broken. */
function isBare({ series }: ChartProps): boolean {
  return series.every(({ values }) => values.every((value) => value === null || value === 0))
}

function ChartTable({ label, times, series, format = formatNumber, height = 176 }: ChartProps) {
  const newestFirst = times.map((_, n) => times.length - 1 - n)
  return (
    <div class="chart-table" role="group" style={{ height: `${height}px` }} aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">time</th>
            {series.map((each) => (
              <th key={each.label} scope="col" class="num">
                {each.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newestFirst.map((n) => (
            <tr key={times[n]}>
              <td>{formatClock(times[n] ?? 0, Date.now(), zone.value)}</td>
              {series.map(({ label: name, values }) => {
                const value = values[n]
                return (
                  <td key={name} class="num">
                    {value === null || value === undefined ? '–' : format(value)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
