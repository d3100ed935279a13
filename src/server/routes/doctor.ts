import { doctorContract } from '../../contract/doctor.js'
import { examine } from '../../store/doctor/examine.js'
import { routes } from '../route.js'

export const doctorRoutes = routes<typeof doctorContract>(doctorContract, {
  examine: async ({ store }) => {
    const { healthy, findings, checks } = await examine(store.database, store.schema)
    return {
      status: 200,
      body: {
        healthy,
        findings: findings.map((each) => ({ ...each, data: { ...each.data } })),
        checks: [...checks],
      },
    }
  },
})
