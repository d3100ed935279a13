/** A template for HTML that escapes every value. */
export class Html {
  constructor(readonly text: string) {}
}

export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(parts.reduce((text, part, n) => text + textOf(values[n - 1]) + part))
}

function textOf(value: unknown): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(textOf).join('')
  if (value === null || value === undefined || value === false) return ''
  return String(value).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
