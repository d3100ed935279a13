/** The part of a chart that needs uPlot: drawn on a canvas in the colours of the style sheet. */
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { zone } from '../state/clock.js'
import type { ChartProps } from './chart.jsx'
import { formatClock, formatNumber, formatTick } from './format.js'

const BROAD = 5
const BROAD_ALPHA = 0.4
const FONT = '11px Inter, system-ui, sans-serif'

export function plot(host: HTMLElement, first: ChartProps) {
  let props = first
  const shades = first.series.flatMap(({ tone }) => [tone, `${tone}-soft`])
  const colours = coloursOf(host, ['ink-3', 'line', 'ink-2', ...shades])
  const colour = (name: string) => colours.get(name) ?? ''
  const ink = colour('ink-3')
  const line = colour('line')
  const marked = colour('ink-2')
  const ground = colour('panel')
  const tones = new Map(
    first.series.map(({ tone }) => [tone, [colour(tone), colour(`${tone}-soft`)] as const]),
  )

  const format = (value: number) => (props.format ?? formatNumber)(value)
  const axis = { stroke: ink, font: FONT, ticks: { show: false } }
  const chart = new UPlot(
    {
      width: Math.max(120, host.clientWidth),
      height: first.height ?? 176,
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: 'holdfast' }, drag: { x: false, y: false }, points: { size: 6 } },
      tzDate: (sec) =>
        zone.peek() === 'utc' ? UPlot.tzDate(new Date(sec * 1000), 'Etc/UTC') : new Date(sec * 1000),
      scales: {
        x: { time: true },
        y: first.log
          ? {
              distr: 3,
              range: (_self, low, high) => [
                STEPS.findLast((step) => step <= (low || 1)) ?? 1,
                STEPS.find((step) => step > (high || 10)) ?? 10 ** 12,
              ],
            }
          : { range: (_self, _low, high) => [0, linesUpTo(high ?? 1).at(-1) ?? 1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          space: 80,
          values: (_self, ticks) => ticks.map((sec) => formatTick(sec * 1000, zone.peek())),
        },
        {
          ...axis,
          grid: { stroke: line, width: 1 },
          size: 60,
          space: 36,
          splits: (_self, _axis, low, high) => (first.log ? stepsOf(low, high) : linesUpTo(high)),
          // Every line has its number; uPlot would leave out those that are no power of ten.
          filter: (_self, splits) => splits,
          values: (_self, ticks) =>
            ticks.map((each) => (each === null ? '' : format(each).replace('.0 ', ' '))),
        },
      ],
      series: [
        {},
        ...first.series.map(({ label, tone, filled, dashed, broad }) => ({
          label,
          stroke: tones.get(tone)?.[0] ?? ink,
          width: broad ? BROAD : 1.5,
          ...(broad ? { alpha: BROAD_ALPHA } : {}),
          ...(filled ? { fill: tones.get(tone)?.[1] ?? line } : {}),
          ...(dashed ? { dash: [4, 3] } : {}),
          // A value without neighbours would not be seen: no line leads to it.
          points: {
            show: true,
            size: 4,
            filter: (self: UPlot, index: number) => alone(self.data[index] ?? []),
          },
          spanGaps: false,
        })),
      ],
      hooks: {
        draw: [(self) => drawMarks(self, props.marks ?? [], { colour: marked, ground })],
        setCursor: [(self) => showTip(self)],
      },
    },
    dataOf(first),
    host,
  )

  const tip = document.createElement('div')
  tip.className = 'chart-tip'
  tip.hidden = true
  chart.over.append(tip)

  function showTip(self: UPlot): void {
    const index = self.cursor.idx
    const left = self.cursor.left ?? -1
    const at = index === null || index === undefined ? undefined : props.times[index]
    tip.hidden = at === undefined || left < 0
    if (at === undefined || index === null || index === undefined) return
    const rows = props.series.map(({ label, values }) => {
      const value = values[index]
      return `${label} ${value === null || value === undefined ? '–' : format(value)}`
    })
    tip.textContent = [formatClock(at, Date.now(), zone.peek()), ...rows].join('\n')
    tip.style.left = left > self.over.clientWidth / 2 ? '8px' : ''
    tip.style.right = left > self.over.clientWidth / 2 ? '' : '8px'
  }

  const observer = new ResizeObserver(() => {
    if (host.clientWidth > 0) chart.setSize({ width: host.clientWidth, height: props.height ?? 176 })
  })
  observer.observe(host)

  return {
    update(next: ChartProps) {
      props = next
      chart.setData(dataOf(next))
    },
    stop() {
      observer.disconnect()
      chart.destroy()
    },
  }
}

/** All are set before the first is read: each read after a change computes the styles of the page anew. */
function coloursOf(host: HTMLElement, names: readonly string[]): Map<string, string> {
  const probes = [...new Set(names)].map((name) => {
    // A custom property may hold light-dark(): only a real property resolves it.
    const probe = document.createElement('i')
    // Less motion gives every element a short transition, and the colour before it would be read.
    probe.style.transitionProperty = 'none'
    probe.style.color = `var(--${name})`
    return [name, probe] as const
  })
  host.append(...probes.map(([, probe]) => probe))
  const colours = new Map(probes.map(([name, probe]) => [name, getComputedStyle(probe).color]))
  for (const [, probe] of probes) probe.remove()
  return colours
}

function alone(values: ArrayLike<number | null | undefined>): number[] {
  const has = (n: number) => values[n] !== null && values[n] !== undefined
  return Array.from({ length: values.length }, (_, n) => n).filter(
    (n) => has(n) && !has(n - 1) && !has(n + 1),
  )
}

/** Where durations have a line: round ones in their own unit, in milliseconds. */
const STEPS = [
  ...[0.001, 0.01, 0.1, 1, 10, 100, 1_000, 10_000, 60_000, 600_000],
  ...[3_600_000, 36_000_000, 86_400_000, 864_000_000, 8_640_000_000],
]
const LINES_MAX = 5

function stepsOf(low: number, high: number): number[] {
  const within = STEPS.filter((step) => step >= low && step <= high)
  return within.length <= LINES_MAX ? within : within.filter((_, n) => (within.length - 1 - n) % 2 === 0)
}

/** From zero in round steps to the first one that is not below the highest value: the axis ends at a line with a number. */
function linesUpTo(high: number): number[] {
  const rough = Math.max(high, 1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(Math.max(high, 1) / step - 1e-9) + 1 }, (_, n) => n * step)
}

function dataOf({ times, series }: ChartProps): UPlot.AlignedData {
  return [times.map((ms) => ms / 1000), ...series.map(({ values }) => [...values])]
}

interface MarkColours {
  readonly colour: string
  readonly ground: string
}

function drawMarks(
  self: UPlot,
  marks: NonNullable<ChartProps['marks']>,
  { colour, ground }: MarkColours,
): void {
  const { ctx, bbox } = self
  ctx.save()
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  ctx.font = FONT
  ctx.setLineDash([3, 3])
  for (const { at, label } of marks) {
    const x = self.valToPos(at / 1000, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    const isLeft = x > bbox.left + bbox.width / 2
    ctx.textAlign = isLeft ? 'right' : 'left'
    // On a ground of its own: lines run through it otherwise.
    const width = ctx.measureText(label).width + 6
    ctx.fillStyle = ground
    ctx.fillRect(isLeft ? x - width - 3 : x + 3, bbox.top, width, 14 * devicePixelRatio)
    ctx.fillStyle = colour
    ctx.fillText(label, isLeft ? x - 6 : x + 6, bbox.top + 10)
  }
  ctx.restore()
}
