/** The frame of every page: no script, one style sheet, nothing loaded from other hosts. */
import { type Html, html } from './html.js'

export interface Frame {
  readonly title: string
  /** Path of the style sheet, relative to the page: the server may be mounted below a path. */
  readonly style: string
  readonly head?: Html
}

export function page({ title, style, head }: Frame, body: Html): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
${head}<title>${title} · Holdfast</title><link rel="stylesheet" href="${style}"></head><body>
${body}
</body></html>
`.text
}
