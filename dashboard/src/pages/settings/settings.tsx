/** Settings, API keys and tenants. */
import { everyTenant, may } from '../../state/session.js'
import { choiceParam } from '../../state/url.js'
import { Choices } from '../../ui/field.jsx'
import { Page } from '../../ui/panel.jsx'
import { Keys } from './keys.jsx'
import './settings.css'
import { Tenants } from './tenants.jsx'
import { Values } from './values.jsx'

const tab = choiceParam('tab', ['settings', 'keys', 'tenants'], 'settings')

const SUBTITLE = {
  settings: 'They apply to all tenants and take effect without a restart.',
  keys: 'A key is shown once, when it is made.',
  tenants: 'Limits of what one tenant may have.',
} as const

export function SettingsPage() {
  const choices = [
    ['settings', 'Settings'],
    ...(may('admin') ? ([['keys', 'Keys']] as const) : []),
    ['tenants', 'Tenants'],
  ] as const
  return (
    <Page
      name="Settings"
      title={choices.find(([name]) => name === tab.value)?.[1] ?? 'Settings'}
      subtitle={SUBTITLE[tab.value]}
      actions={
        <Choices
          label="Part of the page"
          value={tab.value}
          onInput={(value) => (tab.value = value)}
          choices={choices}
        />
      }
    >
      {tab.value === 'settings' && <Values />}
      {tab.value === 'keys' && may('admin') && <Keys />}
      {tab.value === 'tenants' && <Tenants all={may('admin') && everyTenant.value} />}
    </Page>
  )
}
