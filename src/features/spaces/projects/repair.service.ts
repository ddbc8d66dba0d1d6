/** Repairs repositories that were damaged by a power failure under a version that did not flush them. */
import type { App } from '../../../app.ts'
import { repairRepository } from '../../../git/maintenance/repair.ts'
import { projectsBefore } from './projects.queries.ts'

/** Throws if the repository can't be read or written. Costs two small reads if all is well. */
export async function repairProject(app: App, id: number, default_branch: string | null): Promise<void> {
  const repaired = await repairRepository(app.git.open(id), default_branch ?? app.config.default_branch)
  if (repaired && repaired.length > 0) app.log.warn({ project_id: id, repaired }, 'repository repaired')
}

const rows = 500
const atOnce = 8

/** Newest first: a power failure damages those. */
export async function repairAll(app: App, stopping?: AbortSignal): Promise<void> {
  for (let last = Number.MAX_SAFE_INTEGER; ; ) {
    const projects = await projectsBefore(app.db, last, rows)
    for (let at = 0; at < projects.length; at += atOnce) {
      if (stopping?.aborted) throw new Error('the process ends')
      await Promise.all(projects.slice(at, at + atOnce).map((project) => tryToRepair(app, project)))
    }
    if (projects.length < rows) return
    last = projects.at(-1)?.id ?? 0
  }
}

/** One that can't be repaired doesn't block the others. */
async function tryToRepair(app: App, { id, default_branch }: { id: number; default_branch: string | null }): Promise<void> {
  await repairProject(app, id, default_branch).catch((error: unknown) =>
    app.log.error({ err: error, project_id: id }, 'repository not repaired'),
  )
}
