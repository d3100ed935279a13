/** What our pages have in common: no script, one style sheet of our own, nothing from elsewhere. */
import { type Html, html } from './html.js'

export interface Frame {
  readonly title: string
  /** The style sheet, from where the page is: it may be served below a path. */
  readonly look: string
  readonly head?: Html
}

export function page({ title, look, head }: Frame, body: Html): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
${head}<title>${title} · Holdfast</title><link rel="stylesheet" href="${look}"></head><body>
${body}
</body></html>
`.text
}
