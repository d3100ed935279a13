/** The last 24 hours as one bar an hour: all attempts, and those that failed on top. */
import { Bars } from '../../ui/strip.jsx'
import './parts.css'

interface TrendProps {
  readonly label: string
  readonly hours: readonly { readonly attempts: number; readonly failed: number }[]
  readonly height?: number
}

export function Trend({ label, hours, height = 24 }: TrendProps) {
  const last = hours.length - 1
  return (
    <span class="trend">
      <Bars
        label={label}
        height={height}
        bars={hours.map(({ attempts, failed }, n) => ({
          good: Math.max(0, attempts - failed),
          bad: failed,
          title: `${n === last ? 'this hour' : `${last - n} h ago`}: ${attempts} attempts, ${failed} failed`,
        }))}
      />
    </span>
  )
}
