/** Where a job works: a folder for each project and each job of it that runs at the same time, kept for the next one. */
import { createHash } from 'node:crypto'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isUrl } from '../../text/parse-url.ts'

export interface JobFolders {
  /** All of the job; the only folder it can write. */
  top: string
  /** The work tree. */
  project: string
  /** Files of variables and temporary files, gone after the job. */
  temporary: string
  /** `/tmp` of the job. */
  tmp: string
  /** What the runner keeps beside the job and the job can't see: its trace, archives on their way. */
  aside: string
}

export interface PlaceOfJob {
  home: string
  url: string
  project_id: number
  job_id: number
  repo_url: string
  /** Which of the jobs of this project that run now, from 0. */
  project_slot: number
}

export function foldersOf(place: PlaceOfJob): JobFolders {
  const top = join(place.home, 'builds', serverKey(place.url), `${place.project_id}-${place.project_slot}`)
  const temporary = join(top, 'tmp')
  const aside = join(place.home, 'jobs', `${serverKey(place.url)}-${place.job_id}`)
  return { top, project: join(top, ...projectPath(place.repo_url, place.project_id)), temporary, tmp: join(temporary, 'tmp'), aside }
}

/** Two servers have projects of the same id. */
export function serverKey(url: string): string {
  return createHash('sha256').update(url.replace(/\/+$/, '')).digest('hex').slice(0, 12)
}

/** The path of the project at its server, as some build tools want it; by its id where that can't be a path here. */
function projectPath(repo_url: string, project_id: number): string[] {
  const path = isUrl(repo_url) ? new URL(repo_url).pathname : ''
  const segments = path
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
  const isPlain = segments.length > 0 && segments.every((segment) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(segment))
  return isPlain && segments[0] !== 'tmp' ? segments : [`project-${project_id}`]
}

/** Creates the folders; what a job before left beside the work tree goes. */
export async function prepareFolders({ project, temporary, tmp, aside }: JobFolders): Promise<void> {
  await rm(temporary, { recursive: true, force: true })
  await rm(aside, { recursive: true, force: true })
  for (const folder of [project, tmp, aside]) await mkdir(folder, { recursive: true, mode: 0o700 })
}

export async function removeTemporary({ temporary, aside }: JobFolders): Promise<void> {
  for (const folder of [temporary, aside]) {
    await rm(folder, { recursive: true, force: true }).catch(async () => {
      // A job may take away its own right to delete.
      await chmod(folder, 0o700).catch(() => {})
    })
  }
}
