/** Repairs the repositories of projects: what a power cut left of them under a version that did not flush them. */
import type { App } from '../../../app.ts'
import { repairRepository } from '../../../git/maintenance/repair.ts'
import { projectsBefore } from './projects.queries.ts'

/** Throws where the repository can't be read or written. Costs two small reads where all is well. */
export async function repairProject(app: App, id: number, default_branch: string | null): Promise<void> {
  const repaired = await repairRepository(app.git.open(id), default_branch ?? app.config.default_branch)
  if (repaired && repaired.length > 0) app.log.warn({ project_id: id, repaired }, 'repository repaired')
}

const rows = 500
const atOnce = 8

/** Newest first: those are the ones that a power cut hits. */
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

/** One that can't be repaired doesn't stand in the way of the others. */
async function tryToRepair(app: App, { id, default_branch }: { id: number; default_branch: string | null }): Promise<void> {
  await repairProject(app, id, default_branch).catch((error: unknown) =>
    app.log.error({ err: error, project_id: id }, 'repository not repaired'),
  )
}
