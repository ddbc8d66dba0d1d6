/** The folders of a job: one set for each project and each of its concurrent jobs, kept for the next job. */
import { createHash } from 'node:crypto'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isUrl } from '../../text/parse-url.ts'

export interface JobFolders {
  /** Contains everything of the job; the only folder that it can write to. */
  top: string
  /** The work tree. */
  project: string
  /** Files of variables and temporary files, deleted after the job. */
  temporary: string
  /** The job's `/tmp`. */
  tmp: string
  /** Files of the runner that the job can't see: its trace, and archives in transfer. */
  aside: string
}

export interface PlaceOfJob {
  home: string
  url: string
  project_id: number
  job_id: number
  repo_url: string
  /** Number of this job among the running ones of the project, from 0. */
  project_slot: number
}

export function foldersOf(place: PlaceOfJob): JobFolders {
  const top = join(place.home, 'builds', serverKey(place.url), `${place.project_id}-${place.project_slot}`)
  const temporary = join(top, 'tmp')
  const aside = join(place.home, 'jobs', `${serverKey(place.url)}-${place.job_id}`)
  return { top, project: join(top, ...projectPath(place.repo_url, place.project_id)), temporary, tmp: join(temporary, 'tmp'), aside }
}

/** Two servers may have projects with the same id. */
export function serverKey(url: string): string {
  return createHash('sha256').update(url.replace(/\/+$/, '')).digest('hex').slice(0, 12)
}

/** The path of the project at its server, which some build tools need; its id if the path isn't valid here. */
function projectPath(repo_url: string, project_id: number): string[] {
  const path = isUrl(repo_url) ? new URL(repo_url).pathname : ''
  const segments = path
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
  const isPlain = segments.length > 0 && segments.every((segment) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(segment))
  return isPlain && segments[0] !== 'tmp' ? segments : [`project-${project_id}`]
}

/** Creates the folders, and deletes what an earlier job left beside the work tree. */
export async function prepareFolders({ project, temporary, tmp, aside }: JobFolders): Promise<void> {
  await rm(temporary, { recursive: true, force: true })
  await rm(aside, { recursive: true, force: true })
  for (const folder of [project, tmp, aside]) await mkdir(folder, { recursive: true, mode: 0o700 })
}

export async function removeTemporary({ temporary, aside }: JobFolders): Promise<void> {
  for (const folder of [temporary, aside]) {
    await rm(folder, { recursive: true, force: true }).catch(async () => {
      // A job may remove its own permission to delete.
      await chmod(folder, 0o700).catch(() => {})
    })
  }
}
