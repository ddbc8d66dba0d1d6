/** Access conditions on the settings of the instance. */
import type { Condition, Granted } from '../../http/declare/rules.ts'
import { readSettings, type Settings } from '../instance/settings/settings.ts'

/** Grants while the settings allow it. `description` continues "Only ". */
export function whileAllowed(description: string, allowed: (settings: Settings) => boolean, refusal: () => Error): Condition<Granted> {
  return { description, holds: async (_, { app }) => allowed(await readSettings(app.db)), refusal }
}
