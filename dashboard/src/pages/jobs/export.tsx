/** Exports what was found as a file. */
import { actingTenant, headersOf } from '../../api/call.js'
import { Menu } from '../../ui/menu.jsx'
import { act } from '../../ui/toast.jsx'
import { exportAddress } from './find.js'
import { query } from './query.js'

const FORMATS = [
  ['csv', 'CSV'],
  ['ndjson', 'NDJSON'],
] as const

type Format = (typeof FORMATS)[number][0]

export function ExportMenu() {
  return (
    <Menu
      label="Export"
      items={FORMATS.map(([format, label]) => ({ label, run: () => download(query.peek(), format) }))}
    />
  )
}

function save(href: string, format: Format): void {
  const anchor = document.createElement('a')
  anchor.href = href
  anchor.download = `jobs.${format}`
  anchor.click()
}

/** The browser writes the file as it arrives. A link cannot name a tenant in a header, so then the file is fetched first. */
async function download(q: string, format: Format): Promise<void> {
  const address = exportAddress(q, format)
  if (actingTenant.peek() === null) return save(address, format)
  await act('Exported', async () => {
    const response = await fetch(address, { headers: headersOf('GET') })
    if (!response.ok) throw new Error(`The export failed: the server answered ${response.status}.`)
    const href = URL.createObjectURL(await response.blob())
    save(href, format)
    setTimeout(() => URL.revokeObjectURL(href), 10_000)
  })
}
