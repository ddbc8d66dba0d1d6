/** Access to the triggers of a project, for endpoints and pages. */
import { notFound } from '../../../failure.ts'
import { type ProjectGranted, project, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { triggerAt } from './triggers.queries.ts'

export const triggersManaged = unarchived(using('builds', project('manage_triggers')))

export const triggerManaged = within(
  triggersManaged,
  nested({ trigger_id: Id }, async ({ project }: ProjectGranted, { trigger_id }, app) => {
    const trigger = await triggerAt(app.db, project.id, trigger_id)
    if (!trigger) throw notFound('Trigger')
    return { trigger }
  }),
)
