/** Buttons and menus that copy text to the clipboard. */
import { useState } from 'preact/hooks'
import { Button } from './button.jsx'
import { Menu } from './menu.jsx'
import { toast } from './toast.jsx'

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without TLS there is no clipboard; a selection still works.
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'hidden-visually'
    document.body.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    setCopied(await copyText(text))
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <Button look="quiet" onClick={copy}>
      {copied ? 'Copied' : label}
    </Button>
  )
}

/** "Copy as": the same thing as curl, as a command line, as SQL. */
export function CopyAs({ forms }: { readonly forms: Readonly<Record<string, string>> }) {
  return (
    <Menu
      label="Copy as"
      look="quiet"
      items={Object.entries(forms).map(([name, text]) => ({
        label: name,
        run: async () => {
          if (await copyText(text)) toast(`Copied as ${name}`)
        },
      }))}
    />
  )
}
