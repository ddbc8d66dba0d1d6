/** Background work of integrations: applies templates to existing projects. */
import { inTransaction } from '../../../db/database.ts'
import { type Job, job } from '../../../queue/queue.ts'
import { copyTemplate } from './copies.ts'
import { followElsewhere } from './elsewhere.ts'
import { activeTemplates, projectsWithout } from './services.queries.ts'

const atOnce = 100

/** Projects that have an integration of this kind keep theirs. */
export const propagateJob: Job<{ slug: string }> = job('services.propagate', {
  key: ({ slug }) => `services.propagate ${slug}`,
  async handle(app, { slug }, stopping) {
    for (let after = 0; !stopping?.aborted; ) {
      const template = (await activeTemplates(app.db)).find((one) => one.slug === slug)
      const ids = template ? await projectsWithout(app.db, slug, after, atOnce) : []
      if (!template || ids.length === 0) return
      await inTransaction(app.db, async (tx) => {
        for (const id of ids) {
          await copyTemplate(tx, template, id)
          await followElsewhere(app, tx, id)
        }
      })
      after = ids.at(-1) ?? after
    }
  },
})

/** Updates external trackers and wikis of projects with copies of templates. */
export const followElsewhereJob: Job<{ project_id: number }> = job('services.follow_elsewhere', {
  key: ({ project_id }) => `services.follow_elsewhere ${project_id}`,
  handle: (app, { project_id }) => inTransaction(app.db, (tx) => followElsewhere(app, tx, project_id)),
})
