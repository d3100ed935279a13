/** The help dialog: every keyboard shortcut. */
import { PAGE_TABLE } from '../pages/pages.js'
import { GO_KEYS, helpOpen, KEYS } from '../state/keyboard.js'
import { Button } from '../ui/button.jsx'
import { Dialog } from '../ui/dialog.jsx'

export function Help() {
  if (!helpOpen.value) return null
  const rows = [
    ...KEYS,
    ...Object.entries(GO_KEYS).map(([key, name]) => [`g ${key}`, `go to ${PAGE_TABLE[name].label}`] as const),
  ]
  const close = () => {
    helpOpen.value = false
  }
  return (
    <Dialog title="Keyboard" onClose={close} actions={<Button onClick={close}>Close</Button>}>
      <dl class="keys">
        {rows.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
