/** New projects get copies of the templates of administrators. */
import type { Tx } from '../../../db/database.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { enqueue } from '../../../queue/queue.ts'
import { copyTemplate } from './copies.ts'
import { leadsElsewhere } from './elsewhere.ts'
import { followElsewhereJob } from './services.jobs.ts'
import { activeTemplates } from './services.queries.ts'

export async function copyTemplates(tx: Tx, { project_id }: Pick<EventOf<'project_created'>, 'project_id'>): Promise<void> {
  const templates = await activeTemplates(tx)
  for (const template of templates) await copyTemplate(tx, template, project_id)
  if (templates.some(leadsElsewhere)) await enqueue(tx, followElsewhereJob, { project_id })
}
