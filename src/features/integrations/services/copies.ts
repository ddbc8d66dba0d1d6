/** Copies of an integration template in projects. */
import type { Tx } from '../../../db/database.ts'
import type { Integration } from '../../../db/tables.ts'
import { kindOf } from '../kinds/kinds.ts'
import { storeHearing, storeIntegration } from './services.queries.ts'
import { flagsOf, hearingOf } from './settings.ts'

/** The settings stay sealed. Whether to verify certificates is read from them when something is sent. */
export async function copyTemplate(tx: Tx, template: Integration, project_id: number): Promise<void> {
  const kind = kindOf(template.slug)
  if (!kind) return
  const { slug, active, settings, events } = template
  const row = await storeIntegration(tx, { project_id, slug }, { active, settings, events })
  if (kind.act) await storeHearing(tx, row, hearingOf(kind, active, flagsOf(row)), true)
}
