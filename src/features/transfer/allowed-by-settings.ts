/** Access rules of what an instance may allow or not. */
import type { Access, Granted } from '../../http/rules.ts'
import { readSettings, type Settings } from '../instance/settings/settings.ts'

/** The rule, where the settings of the instance allow it; throws `refusal` where they don't. */
export function whereAllowed<G extends Granted>(
  access: Access<G>,
  allowed: (settings: Settings) => boolean,
  refusal: () => Error,
): Access<G> {
  return {
    ...access,
    async grant(app, caller, params) {
      const granted = await access.grant(app, caller, params)
      if (!allowed(await readSettings(app.db))) throw refusal()
      return granted
    },
  }
}
