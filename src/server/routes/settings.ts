import { toWire } from '../../contract/case.js'
import { settingsContract } from '../../contract/settings.js'
import { holdfastError } from '../../domain/errors.js'
import { nearest } from '../../domain/nearest.js'
import { type Call, routes } from '../route.js'

type View = (typeof settingsContract)['getSetting']['response'][200]['_zod']['input']

async function one({ store }: Pick<Call, 'store'>, name: string): Promise<View> {
  const settings = await store.settings.list()
  const found = settings.find((setting) => setting.name === name)
  if (found !== undefined) return toWire(found)
  throw holdfastError('unknown_setting', {
    name,
    nearest: nearest(
      name,
      settings.map((each) => each.name),
    ),
  })
}

/** Whoever changes a setting believes that it changes something. */
function refuseWithoutEffect({ server }: Pick<Call, 'server'>, name: string): void {
  const origin = server.settingOrigin(name)
  if (origin !== undefined) throw holdfastError('setting_overridden', { name, origin })
}

export const settingRoutes = routes<typeof settingsContract>(settingsContract, {
  listSettings: async ({ store }) => ({
    status: 200,
    body: { settings: (await store.settings.list()).map((setting) => toWire(setting)) },
  }),
  getSetting: async (call) => ({ status: 200, body: await one(call, call.params.name) }),
  setSetting: async (call) => {
    const { store, act, params, body } = call
    await one(call, params.name)
    refuseWithoutEffect(call, params.name)
    await store.settings.set(params.name, body.value, act)
    return { status: 200, body: await one(call, params.name) }
  },
  resetSetting: async (call) => {
    const { store, act, params } = call
    await one(call, params.name)
    refuseWithoutEffect(call, params.name)
    await store.settings.reset(params.name, act)
    return { status: 200, body: await one(call, params.name) }
  },
})
