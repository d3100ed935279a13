/** The page of the dashboard: the built index.html with the address it is mounted at. */
import { html } from '../pages/html.js'

/**
 * Scripts, styles and calls of this server alone, nothing inline. `data:` images are small icons in the style sheet.
 * `base-uri` allows the element that `dashboardPage` writes.
 */
export const DASHBOARD_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

/** All addresses in the page are relative to its base, so the page works below any path. */
export function dashboardPage(index: string | undefined, base: string): string {
  const element = html`<base href="${base}">`.text
  const page = (index ?? NOT_BUILT).replace(/<base\b[^>]*>\s*/i, '')
  const based = page.replace(/<head\b[^>]*>/i, (head) => `${head}${element}`)
  return /<noscript\b/i.test(based) ? based : based.replace(/<body\b[^>]*>/i, (body) => body + NO_SCRIPT)
}

const NO_SCRIPT =
  html`<noscript><p>The dashboard needs scripts. The <a href="status">status page</a> does not.</p></noscript>`
    .text

/** Of a copy of the repository in which the build has not run. */
const NOT_BUILT = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Holdfast</title><link rel="stylesheet" href="status.css"></head>
<body><main class="door"><section><h2>The dashboard is not built</h2><p>Run <code>npm run build</code>. Until then there is the <a href="status">status page</a>.</p></section></main></body></html>
`.text

/** For callers that accept no HTML, like curl. */
export function dashboardText(version: string, origin: string): string {
  return `Holdfast ${version}
The dashboard is a page for browsers: ${origin}
Without scripts:  ${origin}status
HTTP API:         ${origin}docs
`
}
