/** A sentence of the server on a page. */
import type { ComponentChildren } from 'preact'
import { link } from '../../state/url.js'
import { Time } from '../../ui/value.jsx'

const INSTANT = /(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?))/
const JOB = /\b([Jj]ob \d+)\b/

/** A sentence of the server: its times become times of this page, its jobs links, its commands code. */
export function Sentence({ text }: { readonly text: string }): ComponentChildren {
  return text.split(INSTANT).flatMap((part, n) => {
    if (n % 2 === 1)
      return [<Time key={n} at={part.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')} as="seconds" />]
    return part.split(JOB).flatMap((piece, m) =>
      m % 2 === 1 ? (
        <a key={`${n}.${m}`} href={link({ page: 'job', id: piece.replace(/\D+/, '') })}>
          {piece}
        </a>
      ) : (
        piece.split('`').map((text, o) => (o % 2 === 1 ? <code key={`${n}.${m}.${o}`}>{text}</code> : text))
      ),
    )
  })
}
