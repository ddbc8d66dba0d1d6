/** A folder in parts: its files, its README, and the last commit of each file, which is sent later if it takes long. */

import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { Reader } from '../../../features/discussion/references/references.ts'
import type { ListedEntry } from '../../../git/objects/trees.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { within } from '../../../limits/within.ts'
import type { Place } from '../../project/address.ts'
import { readmeOf } from './readme.ts'
import { submoduleAddresses } from './submodules.ts'
import { folderTable, type LastChanges, lastChangesOf, lateChanges } from './tree.ts'

interface Folder {
  project: LocatedProject
  repo: Repo
  place: Place
  /** The entries of one page of the folder (`folderAt`). */
  rows: readonly ListedEntry[]
  reader: Reader
  /** Between the list and the README: links to other pages of the list. */
  below?: Html | null
}

/** Processes: the walk for the last commits, unless it is cached, and the reader of objects. */
export async function* folderParts(app: App, { project, repo, place, rows, reader, below = null }: Folder): AsyncGenerator<Html> {
  const { early, late } = await changesInTime(app, { project, repo, place, rows })
  const submodules = await submoduleAddresses(app, repo, { ...place, project: project.full_path, rows })
  yield html`${folderTable(project, place, { rows, changes: early, submodules })}${below}`
  const readme = await readmeOf(app, { project, repo, place, rows, reader })
  if (readme) yield readme
  if (late) yield await late()
}

interface ChangesInTime {
  /** The last commit of each file; null if that takes longer than a reader should wait. */
  early: LastChanges | null
  /** The part of the page that adds them to the list; null if nothing is missing. */
  late: (() => Promise<Html>) | null
}

export async function changesInTime(app: App, { project, repo, place, rows }: Omit<Folder, 'reader' | 'below'>): Promise<ChangesInTime> {
  // The page is useful without them.
  const walk: Promise<LastChanges> = lastChangesOf(repo, place, rows).catch(() => new Map())
  const early = await within(app.limits.pagePatience_ms.last_commits, walk)
  return { early, late: early ? null : async () => lateChanges(project, rows, await walk) }
}
